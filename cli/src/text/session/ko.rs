//! Korean.

use mcpeak_proxy::session::tools::SecretKind;

use super::SessionText;

pub(super) struct Korean;

impl SessionText for Korean {
    fn secret_kind(&self, kind: &SecretKind) -> String {
        match kind {
            SecretKind::Value { variable } => format!("{variable} 의 값"),
            SecretKind::Name => "이름으로 알 수 있는 비밀".to_owned(),
            SecretKind::Shape => "모양으로 알 수 있는 비밀".to_owned(),
        }
    }

    fn lint_found(&self, found: usize, file: &str) -> String {
        format!("✗ {file} 에 비밀이 {found}건 있습니다")
    }

    fn lint_clean(&self, file: &str) -> String {
        format!("✓ {file} 에 비밀이 없습니다")
    }

    fn lint_fix(&self) -> String {
        "세션을 다시 녹화하거나 비밀이 있는 자리에 {{secret:NAME}} 또는 {{token:1}} 을 쓰세요. 이미 커밋된 비밀은 폐기해야 합니다".to_owned()
    }

    fn diff_only_in(&self, file: &str, number: usize) -> String {
        format!("{file} 에만 있음 (녹화 {number}건):")
    }

    fn diff_changed(&self, number: usize) -> String {
        format!("응답이 다름 (녹화 {number}건):")
    }

    fn diff_nothing(&self) -> String {
        "(없음)".to_owned()
    }

    fn diff_summary(&self, same: usize, only_left: usize, only_right: usize, changed: usize) -> String {
        format!("같음 {same}건, 바뀜 {changed}건, 없어짐 {only_left}건, 새로 생김 {only_right}건")
    }

    fn prune_needs_selection(&self) -> (String, String) {
        (
            "어떤 녹화를 뺄지 지정되지 않았습니다".to_owned(),
            "--unused-from REPORT, --host HOST 또는 --errors 를 지정하세요".to_owned(),
        )
    }

    fn prune_bad_report(&self, path: &str, why: &str) -> (String, String) {
        (
            format!("{path} 은(는) 재생 리포트가 아닙니다: {why}"),
            "`mcpeak test --session FILE --json REPORT` 로 만드세요".to_owned(),
        )
    }

    fn pruned(&self, removed: usize, left: usize, file: &str, written: bool) -> String {
        if written {
            format!("{file} 에서 녹화 {removed}건을 뺐습니다. {left}건이 남았습니다")
        } else {
            format!(
                "{file} 에서 녹화 {removed}건을 뺄 수 있습니다. {left}건이 남습니다. 실제로 빼려면 --write 를 더하세요"
            )
        }
    }
}
