//! Korean.

use mcpeak_proxy::interchange::{ImportError, Lost, Note};
use mcpeak_proxy::session::tools::{Drift, SecretKind};
use mcpeak_proxy::verify::{Skip, Verification};

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

    fn lost(&self, note: &Note) -> String {
        let what = match note.lost {
            Lost::NotHttp => "절대 URL 로 보낸 HTTP 요청이 아니어서 뺐습니다",
            Lost::NoAnswer => "응답도, 응답이 없는 이유도 없어서 뺐습니다",
            Lost::BodyMissing => "파일에 본문의 크기만 있고 본문이 없어서 뺐습니다",
            Lost::Frames => "WebSocket 프레임이어서 뺐습니다",
            Lost::ContentEncoding => "파일에 이미 풀려 있어 Content-Encoding 없이 저장했습니다",
            Lost::EventTimes => "스트림 이벤트의 시각",
        };
        format!("옮기지 못한 것 ({}건): {what}. 첫 번째: {}", note.count, note.example)
    }

    fn imported(&self, exchanges: u64, from: &str, file: &str) -> String {
        format!("{from} 의 호출 {exchanges}건을 {file} 로 가져왔습니다")
    }

    fn import_unknown(&self, file: &str, known: &str) -> (String, String) {
        (
            format!("{file} 은(는) 알려진 도구의 녹화가 아닙니다"),
            format!("--format 으로 형식을 지정하세요: {known}"),
        )
    }

    fn import_invalid(&self, file: &str, format: &str, error: &ImportError) -> (String, String) {
        (
            format!("{file} 은(는) 올바른 {format} 파일이 아닙니다: {error}"),
            "파일을 만든 도구에서 다시 내보내세요".to_owned(),
        )
    }

    fn import_unreadable(&self, file: &str, why: &str) -> (String, String) {
        (format!("{file} 을(를) 읽을 수 없습니다: {why}"), "경로와 권한을 확인하세요".to_owned())
    }

    fn export_exists(&self, file: &str) -> (String, String) {
        (format!("{file} 이(가) 이미 있습니다"), "다른 파일을 고르거나 --force 를 더하세요".to_owned())
    }

    fn drift(&self, drift: &Drift) -> String {
        match drift {
            Drift::Status { recorded, live } => {
                let recorded: Vec<String> = recorded.iter().map(u16::to_string).collect();
                format!("상태 코드 {live}, 녹화는 {}", recorded.join(", "))
            }
            Drift::MediaType { recorded, live } => {
                format!("content-type {live}, 녹화는 {}", recorded.join(", "))
            }
            Drift::NotJson => "본문이 더는 JSON 이 아닙니다".to_owned(),
            Drift::Missing { place } => format!("{place} 이(가) 없습니다"),
            Drift::Type { place, recorded, live } => {
                format!("{place} 의 타입이 {}, 녹화는 {}", live.join(" 또는 "), recorded.join(" 또는 "))
            }
            Drift::Added { place } => format!("{place} 이(가) 새로 생겼습니다"),
        }
    }

    fn no_live_answer(&self, why: &str) -> String {
        format!("응답 없음: {why}")
    }

    fn skipped(&self, why: &Skip) -> String {
        match why {
            Skip::NeedsValue { placeholder } => format!("{placeholder} 의 값을 몰라서 보내지 않았습니다"),
            Skip::NoAnswer => "녹화된 응답이 없어서 보내지 않았습니다".to_owned(),
        }
    }

    fn verified(&self, verification: &Verification) -> String {
        let drifted = verification.checked.iter().filter(|checked| checked.has_drifted()).count();
        format!(
            "요청 {}건 확인, {drifted}건 달라짐, {}건 건너뜀. 무언가를 바꿀 수 있는 {}건은 보내지 않습니다",
            verification.checked.len(),
            verification.skipped.len(),
            verification.unsafe_requests
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
