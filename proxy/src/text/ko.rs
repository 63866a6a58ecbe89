//! Korean.

use std::io;

use mcpeak_core::locale::Locale;

use super::Text;
use crate::authority::AuthorityErrorKind;
use crate::error::{PemRole, ProxyError};
use crate::matching::{Difference, MissReason};
use crate::report::{Mode, Refusal, RefusedCertificate, Warning};
use crate::session::SessionError;

pub(super) struct Korean;

impl Text for Korean {
    fn session_error(&self, error: &SessionError) -> String {
        match error {
            SessionError::Exists { path } => format!("{} 파일이 이미 있습니다", path.display()),
            SessionError::StaleJournal { journal, .. } => {
                format!("중단된 녹화의 저널이 남아 있습니다: {}", journal.display())
            }
            SessionError::Locked { path } => format!("다른 프로세스가 녹화 중입니다: {}", path.display()),
            SessionError::NotFound { path } => format!("파일이 없습니다: {}", path.display()),
            SessionError::DiskFull { path, .. } => format!("디스크 공간이 부족합니다: {}", path.display()),
            SessionError::Io { action, path, .. } => {
                format!("{} 작업에 실패했습니다: {action}", path.display())
            }
            SessionError::Invalid { place, problem, .. } => {
                format!(
                    "{}:{}:{}: 잘못된 세션 파일입니다: {problem}",
                    place.path.display(),
                    place.line,
                    place.column
                )
            }
            SessionError::NewerVersion { place, version } => {
                format!("{}: 이 버전이 읽을 수 없는 새 형식입니다: {version}", place.path.display())
            }
            SessionError::Finished { path } => format!("녹화가 이미 끝났습니다: {}", path.display()),
        }
    }

    fn session_hint(&self, error: &SessionError) -> String {
        match error {
            SessionError::Exists { .. } => "다른 경로를 쓰거나 --force로 덮어쓰세요".to_owned(),
            SessionError::StaleJournal { path, .. } => {
                format!("`mcpeak session recover {}`로 복구하거나 --force로 버리세요", path.display())
            }
            SessionError::Locked { .. } => "다른 녹화가 끝나기를 기다리거나 다른 경로를 쓰세요".to_owned(),
            SessionError::NotFound { .. } => "경로를 확인하거나 먼저 녹화하세요".to_owned(),
            SessionError::DiskFull { .. } => {
                "공간을 확보한 뒤 다시 녹화하세요. 기존 파일은 그대로입니다".to_owned()
            }
            SessionError::Io { .. } => "폴더가 있고 쓸 수 있는지 확인하세요".to_owned(),
            SessionError::Invalid { hint, .. } => format!("해당 위치를 고치거나 다시 녹화하세요 ({hint})"),
            SessionError::NewerVersion { .. } => {
                "mcpeak을 업데이트하거나 이 버전으로 다시 녹화하세요".to_owned()
            }
            SessionError::Finished { .. } => "새 녹화를 시작하세요".to_owned(),
        }
    }

    fn reason(&self, reason: &MissReason) -> String {
        match reason {
            MissReason::NothingForHost => "이 호스트에 대한 녹화가 없습니다".to_owned(),
            MissReason::NothingForPath => "이 경로에 대한 녹화가 없습니다".to_owned(),
            MissReason::NearMiss { recording, .. } => format!("가장 가까운 녹화: {recording}"),
            MissReason::AllUsed { recordings } => {
                format!("이 호출의 녹화 {recordings}건을 모두 사용했습니다")
            }
        }
    }

    fn difference(&self, difference: &Difference) -> String {
        let value = |value: &Option<String>| {
            value.as_ref().map_or("(없음)".to_owned(), |value| format!("{value:?}"))
        };
        format!(
            "{}: 녹화 {}, 요청 {}",
            difference.field,
            value(&difference.recorded),
            value(&difference.actual)
        )
    }

    fn warning(&self, warning: &Warning) -> String {
        match warning {
            Warning::ValueNotSearched { name } => {
                format!(
                    "{name} 값은 너무 짧거나 평범해서 본문에서 찾지 않습니다. 이름이 있는 자리만 가립니다"
                )
            }
            Warning::Aborted { count } => format!("끝나지 않은 호출 {count}건은 파일에 없습니다"),
            Warning::LengthMismatch { request } => {
                format!("{request}: 본문 길이가 알려진 길이와 달라 불완전한 응답으로 저장했습니다")
            }
            Warning::StoredDecoded { request } => {
                format!("{request}: 본문을 압축 해제해 저장했으며 Content-Encoding 없이 재생합니다")
            }
            Warning::HostStored { origin } => {
                format!("출처 {origin}는 값이 든 채로 저장됩니다. 기록을 호스트로 찾기 때문입니다")
            }
            Warning::Edited { request } => {
                format!("{request}: 본문이 편집되어 ETag와 다이제스트를 뺐습니다")
            }
            Warning::RequestEdited { request } => {
                format!("{request}: 요청이 편집되어 id가 맞지 않습니다. 적힌 그대로 비교합니다")
            }
            Warning::SecretUnknown { name } => {
                format!("{name} 값을 몰라 자리표시자를 재생합니다 (--env {name}로 지정하세요)")
            }
            Warning::Refused { destination, why } => {
                let why = match why {
                    Refusal::NotHttp => {
                        "연결은 HTTP가 아니어서 거부했습니다. 재생에는 네트워크가 없고 세션에는 HTTP만 있습니다. 서버가 이 컴퓨터의 \
                         대역 서버를 쓰게 하고 --pass-loopback PORT 로 통과시키세요"
                    }
                    Refusal::Silent => {
                        "연결은 상대가 먼저 말하기를 기다려서 거부했습니다. 재생에는 네트워크가 없고 세션에는 HTTP만 있습니다. 서버가 이 컴퓨터의 \
                         대역 서버를 쓰게 하고 --pass-loopback PORT 로 통과시키세요"
                    }
                    Refusal::Strict => {
                        "연결은 HTTP가 아니어서 --strict에 따라 거부했습니다. 이 옵션이 없으면 읽지 않고 이어 줍니다"
                    }
                };
                format!("{destination} {why}")
            }
            Warning::HostDiffers { destination, host } => {
                format!("{destination} 호출이 다른 호스트 {host}를 적었습니다. {destination}로 다룹니다")
            }
            Warning::UpstreamFailed { origin, detail } => {
                format!("{origin} 이(가) 응답하지 않았습니다: {detail}")
            }
            Warning::CertificateNotChecked { host } => {
                format!("{host}의 인증서를 확인하지 않았습니다 (--upstream-insecure)")
            }
            Warning::RuleIdle { rule } => format!("규칙 {rule}은(는) 한 번도 적용되지 않았습니다"),
            Warning::Note { text } => text.clone(),
        }
    }

    fn refused_certificate(&self, refused: &RefusedCertificate, mode: Mode) -> String {
        let RefusedCertificate { host, program, count } = refused;
        let program = program.as_deref().unwrap_or("클라이언트");
        let fix = match mode {
            Mode::Record | Mode::Pass => format!("또는 --tunnel {host} 로 그 호스트를 읽지 않고 두세요"),
            Mode::Replay => "재생에는 이 연결을 이어 줄 네트워크가 없습니다".to_owned(),
        };
        format!(
            "{program}이(가) {host}에 대한 프록시 인증서를 거부했습니다({count}회). 다른 인증서를 고정했거나 자체 루트를 씁니다. CA 파일을 \
             받는 옵션에 SSL_CERT_FILE 의 파일을 지정하세요. {fix}"
        )
    }

    fn proxy_error(&self, error: &ProxyError) -> String {
        match error {
            ProxyError::Bind { address, source } => {
                format!("{address}에서 연결을 받을 수 없습니다: {source}")
            }
            ProxyError::Pem { path, role, source } => {
                let role = match role {
                    PemRole::Roots => "업스트림 루트 인증서",
                    PemRole::ClientCertificate => "클라이언트 인증서",
                    PemRole::ClientKey => "클라이언트 키",
                };
                format!("{} 파일을 {role}(으)로 쓸 수 없습니다: {source}", path.display())
            }
            ProxyError::Tls(source) => format!("업스트림 TLS 설정을 쓸 수 없습니다: {source}"),
            ProxyError::Start(source) => format!("프록시를 준비할 수 없습니다: {source}"),
            ProxyError::Authority(error) => error.message(Locale::Ko),
            ProxyError::Session(error) => self.session_error(error),
        }
    }

    fn proxy_hint(&self, error: &ProxyError) -> String {
        match error {
            ProxyError::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "그 포트를 쓰는 프로그램을 멈추거나 다른 포트를 지정하세요 (0이면 시스템이 고릅니다)"
                    .to_owned()
            }
            ProxyError::Bind { .. } => "이 컴퓨터의 주소와 1023보다 큰 포트를 지정하세요".to_owned(),
            ProxyError::Pem { .. } => "읽을 수 있는 PEM 파일(-----BEGIN …-----)을 지정하세요".to_owned(),
            ProxyError::Tls(_) => "클라이언트 인증서와 키가 서로 맞는지 확인하세요".to_owned(),
            ProxyError::Start(_) => "다시 시도하고, 계속되면 알려 주세요".to_owned(),
            ProxyError::Authority(error) => self.authority_hint(&error.kind),
            ProxyError::Session(error) => self.session_hint(error),
        }
    }

    fn authority_error(&self, folder: &str, kind: &AuthorityErrorKind) -> String {
        let what = match kind {
            AuthorityErrorKind::Io(source) => format!("읽거나 쓸 수 없습니다: {source}"),
            AuthorityErrorKind::Half { missing } => format!("{missing} 파일만 없습니다"),
            AuthorityErrorKind::Damaged(source) => format!("손상되었습니다: {source}"),
            AuthorityErrorKind::KeyMismatch => "키가 다른 인증서의 것입니다".to_owned(),
            AuthorityErrorKind::Expired { not_before, not_after } => {
                format!("유효 기간이 아닙니다 ({not_before} ~ {not_after})")
            }
            AuthorityErrorKind::SeedTooShort => return "CA의 시드가 32바이트보다 짧습니다".to_owned(),
            AuthorityErrorKind::OtherThanSeed => "시드에서 나오는 CA가 아닙니다".to_owned(),
            AuthorityErrorKind::Generation(source) => format!("만들 수 없습니다: {source}"),
            AuthorityErrorKind::Tls(source) => format!("TLS에 쓸 수 없습니다: {source}"),
        };
        format!("{folder}의 CA: {what}")
    }

    fn authority_hint(&self, kind: &AuthorityErrorKind) -> String {
        match kind {
            AuthorityErrorKind::Io(_) => "쓸 수 있는 폴더를 고르거나 --ca-dir을 빼세요",
            AuthorityErrorKind::Half { .. }
            | AuthorityErrorKind::Damaged(_)
            | AuthorityErrorKind::KeyMismatch => {
                "두 파일을 되돌리거나, ca.pem과 ca.key를 지워 새 CA를 만드세요 (클라이언트가 새로 신뢰해야 합니다)"
            }
            AuthorityErrorKind::Expired { .. } => {
                "ca.pem과 ca.key를 지워 새 CA를 만들거나(클라이언트가 새로 신뢰해야 합니다) 시계를 확인하세요"
            }
            AuthorityErrorKind::SeedTooShort => "임의의 값을 쓰세요. 예: `openssl rand -hex 32`",
            AuthorityErrorKind::OtherThanSeed => {
                "다른 --ca-dir를 쓰거나, 시드를 바로잡거나, ca.pem과 ca.key를 지우세요(클라이언트가 새 CA를 신뢰해야 합니다)"
            }
            AuthorityErrorKind::Generation(_) | AuthorityErrorKind::Tls(_) => {
                "알려 주세요: 이 빌드의 암호 라이브러리가 P-256 키를 거부합니다"
            }
        }
        .to_owned()
    }
}
