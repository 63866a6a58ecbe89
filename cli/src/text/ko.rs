//! Korean.

use mcpeak_proxy::report::DestinationCounts;
use mcpeak_sandbox::capture::CaptureError;

use super::{Text, destination};

pub(super) struct Korean;

fn pair(message: impl Into<String>, hint: impl Into<String>) -> (String, String) {
    (message.into(), hint.into())
}

fn capture_reason(why: &CaptureError) -> String {
    match why {
        CaptureError::Platform => "소켓 캡처는 x86-64 와 arm64 의 Linux 에서만 됩니다".to_owned(),
        CaptureError::Kernel => "커널이 Linux 5.14 보다 오래되었습니다".to_owned(),
        CaptureError::Nested => "이 프로세스는 이미 다른 캡처나 감독 프로그램 아래에서 돌고 있고, 커널은 하나만 허용합니다 (EBUSY)".to_owned(),
        CaptureError::Refused { step, source } => format!("{step}: {source}"),
    }
}

impl Text for Korean {
    fn error_line(&self, code: &str, message: &str) -> String {
        format!("오류 [{code}]: {message}")
    }

    fn hint_line(&self, hint: &str) -> String {
        format!("해결: {hint}")
    }

    fn usage_hint(&self) -> String {
        "`mcpeak --help` 또는 `mcpeak <명령> --help` 를 확인하세요.".to_owned()
    }

    fn no_target(&self) -> (String, String) {
        pair(
            "테스트할 서버를 지정하지 않았습니다.",
            "`mcpeak test weather.suite.json -- node server.mjs` 처럼 끝에 쓰거나 --command, --url, --mcp-config 중 하나를 쓰세요.",
        )
    }

    fn two_targets(&self, first: &str, second: &str) -> (String, String) {
        pair(
            format!("서버가 두 번 지정되었습니다: {first}, {second}"),
            format!("{first} 와 {second} 중 하나만 남기세요."),
        )
    }

    fn arg_without_command(&self) -> (String, String) {
        pair(
            "--arg 가 --command 없이 쓰였습니다.",
            "--command <실행 파일> 을 추가하거나 모두 `--` 뒤에 쓰세요.",
        )
    }

    fn server_and_config(&self) -> (String, String) {
        pair(
            "--mcp-config 와 --server 는 함께 써야 합니다.",
            "--mcp-config <파일> --server <이름> 을 모두 쓰세요.",
        )
    }

    fn not_with_url(&self, flag: &str) -> (String, String) {
        pair(
            format!("{flag} 는 --url 과 함께 쓸 수 없습니다. 서버를 mcpeak 이 시작하지 않습니다."),
            format!("{flag} 를 빼거나 `-- <실행 파일> <인자>` 로 서버를 시작하게 하세요."),
        )
    }

    fn only_with_url(&self, flag: &str) -> (String, String) {
        pair(
            format!("{flag} 는 --url 과 함께만 쓸 수 있습니다."),
            format!("{flag} 를 빼거나 서버를 --url <주소> 로 지정하세요."),
        )
    }

    fn flags_exclude(&self, first: &str, second: &str) -> (String, String) {
        pair(
            format!("{first} 와 {second} 는 함께 쓸 수 없습니다."),
            format!("{first} 또는 {second} 를 빼세요."),
        )
    }

    fn bad_env_name(&self, flag: &str, given: &str) -> (String, String) {
        pair(
            format!("{flag} 에는 환경 변수 이름을 써야 합니다. 받은 값: {given}"),
            "이름만 쓰세요 (영문자, 숫자, 밑줄). 값은 환경에서 읽으므로 프로세스 목록에 드러나지 않습니다.",
        )
    }

    fn reserved_env_name(&self, name: &str) -> (String, String) {
        pair(
            format!("환경 변수 {name} 은(는) 서버에 전달할 수 없습니다."),
            "NODE_OPTIONS 와 MCPEAK_ 로 시작하는 이름은 테스트 중인 서버의 동작을 바꿉니다. 서버의 시작 스크립트 안에서 설정하세요.",
        )
    }

    fn env_unset(&self, name: &str) -> (String, String) {
        pair(
            format!("환경 변수 {name} 이(가) 없거나 비어 있습니다."),
            format!("먼저 설정하세요. 예: `read -rs {name}; export {name}`"),
        )
    }

    fn env_unprintable(&self, name: &str) -> (String, String) {
        pair(
            format!("환경 변수 {name} 의 값을 여기에 쓸 수 없습니다."),
            "줄바꿈과 NUL 이 없는 UTF-8 텍스트여야 합니다.",
        )
    }

    fn bad_header(&self, given: &str) -> (String, String) {
        pair(
            format!("--header-env 의 값을 읽을 수 없습니다: {given}"),
            "<헤더>=<환경 변수 이름> 형식으로 쓰세요.",
        )
    }

    fn duplicate_header(&self, header: &str) -> (String, String) {
        pair(format!("헤더 {header} 이(가) 두 번 지정되었습니다."), "헤더마다 한 번만 쓰세요.")
    }

    fn bad_flag_value(&self, flag: &str, given: &str, expected: &str) -> (String, String) {
        pair(format!("{flag} 의 값을 읽을 수 없습니다: {given}"), format!("{expected} 형식으로 쓰세요."))
    }

    fn session_needs_process(&self) -> (String, String) {
        pair(
            "--session 과 --record-session 은 mcpeak 이 시작하는 서버에만 쓸 수 있습니다.",
            "`-- <실행 파일> <인자>` 로 시작하거나, 서버 옆에 `mcpeak proxy` 를 두고 서버의 프록시 변수를 맞추세요 (`mcpeak env` 참고).",
        )
    }

    fn run_needs_session(&self) -> (String, String) {
        pair(
            "할 일이 없습니다. --session 도 --record-session 도 없습니다.",
            "--session <파일> 또는 --record-session <파일> 을 쓰세요.",
        )
    }

    fn no_suite_in_folder(&self, folder: &str) -> (String, String) {
        pair(format!("폴더 {folder} 에 명세가 없습니다."), "폴더 안의 명세는 이름으로 찾습니다: *.suite.json")
    }

    fn same_file(&self, path: &str, first: &str, second: &str) -> (String, String) {
        pair(format!("{path} 이(가) {first} 와 {second} 양쪽에 쓰였습니다."), "파일마다 다른 경로를 쓰세요.")
    }

    fn suite_twice(&self, path: &str) -> (String, String) {
        pair(
            format!("명세 {path} 이(가) 두 번 지정되었습니다."),
            "명세마다 한 번만 쓰세요. 폴더를 쓰면 그 안의 명세가 이미 포함됩니다.",
        )
    }

    fn folder_unreadable(&self, folder: &str, why: &str) -> (String, String) {
        pair(format!("폴더 {folder} 을(를) 읽을 수 없습니다: {why}"), "경로와 권한을 확인하세요.")
    }

    fn capture_unavailable(&self, why: &CaptureError) -> (String, String) {
        pair(
            format!("여기서는 소켓을 캡처할 수 없습니다: {}", capture_reason(why)),
            match why {
                CaptureError::Nested => "바깥쪽 캡처를 빼거나 --capture env 를 쓰세요.",
                CaptureError::Platform | CaptureError::Kernel | CaptureError::Refused { .. } => {
                    "--capture env 를 쓰세요. 프록시 변수를 따르는 클라이언트에 닿습니다. `mcpeak doctor` 가 여기서 되는 것을 보여 줍니다."
                }
            },
        )
    }

    fn capture_fallback(&self, why: &CaptureError) -> String {
        format!(
            "여기서는 소켓을 캡처할 수 없어 ({}) 프록시 변수를 씁니다. 이를 무시하는 클라이언트는 보이지 않습니다.",
            capture_reason(why)
        )
    }

    fn file_unwritable(&self, what: &str, path: &str, why: &str) -> (String, String) {
        pair(
            format!("파일을 쓸 수 없습니다 ({what}): {path}: {why}"),
            "폴더가 있는지, 쓸 수 있는지, 디스크에 공간이 있는지 확인하세요.",
        )
    }

    fn command_start_failed(&self, command: &str, why: &str) -> (String, String) {
        pair(
            format!("명령 {command} 을(를) 시작하지 못했습니다: {why}"),
            "철자와 PATH, 실행 권한을 확인하세요.",
        )
    }

    fn stdout_failed(&self, why: &str) -> (String, String) {
        pair(format!("출력을 쓰지 못했습니다: {why}"), "stdout 이 향하는 곳과 디스크 공간을 확인하세요.")
    }

    fn unhealthy(&self, address: &str, why: &str) -> (String, String) {
        pair(
            format!("{address} 에서 정상인 프록시가 응답하지 않습니다: {why}"),
            "`mcpeak proxy --admin <주소>` 로 시작하고 같은 주소를 여기의 --admin 에 쓰세요.",
        )
    }

    fn internal(&self, what: &str) -> (String, String) {
        pair(
            format!("mcpeak 자체가 실패했습니다: {what}"),
            "mcpeak 의 결함입니다. 명령줄과 함께 알려 주세요.",
        )
    }

    fn starting_server(&self) -> String {
        "서버를 시작하는 중".to_owned()
    }

    fn waiting_for(&self, what: &str) -> String {
        format!("{what} 응답을 기다리는 중")
    }

    fn running_case(&self, suite: &str, case: &str, done: usize, total: usize) -> String {
        format!("{suite}: {case} ({total}건 중 {done}건 완료)")
    }

    fn proxy_listening(&self, address: &str) -> String {
        format!("프록시 주소: {address}")
    }

    fn admin_listening(&self, address: &str) -> String {
        format!("관리 주소: {address}")
    }

    fn reverse_listening(&self, address: &str, origin: &str) -> String {
        format!("리버스 수신 주소: {address} → {origin}")
    }

    fn ca_at(&self, path: &str) -> String {
        format!("인증 기관: {path}")
    }

    fn interrupted(&self) -> String {
        "중단되었습니다. 지금까지의 결과를 출력하고 녹화된 내용은 보존합니다.".to_owned()
    }

    fn recovered(&self, exchanges: usize, path: &str) -> String {
        format!("호출 {exchanges}건을 복구했습니다: {path}")
    }

    fn broken_lines(&self, lines: usize) -> String {
        format!("! 저널에서 잘리거나 손상된 줄이 {lines}개 있어, 그만큼의 호출이 세션에 없습니다")
    }

    fn no_failures_to_bundle(&self) -> String {
        "실패한 케이스가 없어 수리 번들을 쓰지 않았습니다.".to_owned()
    }

    fn demo_opening(&self, host: &str) -> String {
        format!(
            "툴 두 개를 가진 MCP 서버를 이 실행 파일이 시작하고, 그 서버가 HTTPS 로 API 를 호출합니다: https://{host}\n\
             서버는 mcpeak 을 모릅니다. 같은 명세를 세 번 실행합니다.\n\n"
        )
    }

    fn demo_record(&self) -> String {
        "1. 녹화: 서버의 HTTPS 호출이 mcpeak 프록시를 거쳐 API 로 가고 파일에 남습니다.".to_owned()
    }

    fn demo_api_asked(&self, times: usize) -> String {
        format!("API 가 받은 호출: {times}건")
    }

    fn demo_replay(&self) -> String {
        "2. 재생: API 는 사라졌고 포트는 닫혔습니다. 같은 명세를 파일로 답합니다.".to_owned()
    }

    fn demo_same(&self, same: bool) -> String {
        if same {
            "보고서가 한 바이트도 다르지 않습니다.".to_owned()
        } else {
            "보고서가 다릅니다.".to_owned()
        }
    }

    fn demo_changed(&self) -> String {
        "3. 바뀐 호출: 명세가 이제 Busan 을 묻지만 녹화된 것은 Seoul 뿐입니다. 추측하지 않습니다.".to_owned()
    }

    fn demo_exit(&self, code: u8) -> String {
        format!("종료 코드 {code}: 녹화되지 않은 호출은 실행을 실패로 만듭니다.")
    }

    fn demo_closing(&self, kept: Option<&str>) -> String {
        let kept = kept.map(|folder| format!("파일 위치: {folder}\n")).unwrap_or_default();
        format!(
            "{kept}자신의 서버를 쓰려면 위 명령의 `--` 뒤에 시작 명령을 쓰세요.\n\
             다음: docs/guide/record-and-replay.md\n"
        )
    }

    fn session_recorded(&self, calls: u64, file: &str) -> String {
        format!("외부 호출 {calls}건을 녹화했습니다: {file}")
    }

    fn session_replayed(&self, calls: u64, file: &str) -> String {
        format!("녹화된 외부 호출 {calls}건을 재생했습니다: {file}")
    }

    fn session_passed(&self, calls: u64) -> String {
        format!("녹화하지 않고 통과시킨 외부 호출: {calls}건")
    }

    fn session_tunnelled(&self, connections: u64) -> String {
        format!("읽지 않고 이어 준 연결: {connections}건")
    }

    fn session_destination(&self, counts: &DestinationCounts) -> String {
        destination(
            counts,
            ["녹화", "재생", "녹화 없음", "통과", "읽지 않고 연결", "거부"],
            |what, count| format!("{what} {count}건"),
        )
    }

    fn session_upstream(&self, connections: u64) -> String {
        format!("프록시가 연 연결: {connections}건")
    }

    fn session_missed(&self, calls: usize) -> String {
        format!("녹화에서 찾지 못한 호출 {calls}건:")
    }

    fn session_times(&self, count: u64) -> String {
        format!("{count}회")
    }

    fn session_unused(&self, exchanges: usize) -> String {
        format!("쓰이지 않은 녹화 {exchanges}건:")
    }

    fn session_left(&self, left: u64, of: u64) -> String {
        format!("{of}건 중 {left}건 남음")
    }

    fn miss_fix(&self, file: &str, all_used: bool) -> String {
        let again = format!("다시 녹화하세요: 같은 명령에 --record-session {file} --force");
        if all_used {
            return format!(
                "해결: 녹화된 횟수만큼 호출하거나, --repeat last 또는 cycle 로 반복을 허용하거나, {again}"
            );
        }
        format!("해결: 녹화된 대로 호출하거나 {again}")
    }

    fn miss_in_cases(&self, cases: &str) -> String {
        format!("케이스: {cases}")
    }

    fn miss_in_junit(&self) -> String {
        "이 호출의 녹화가 없습니다.".to_owned()
    }

    fn doctor_sockets(&self) -> String {
        "소켓을 캡처합니다. 프로그램의 협조 없이 어떤 언어든 됩니다.".to_owned()
    }

    fn doctor_variables(&self) -> String {
        "소켓을 캡처하지 않습니다. 프록시 변수를 따르는 클라이언트만 보입니다.".to_owned()
    }

    fn doctor_off(&self) -> String {
        "요청대로 프로그램을 프록시로 이끌지 않습니다.".to_owned()
    }

    fn doctor_trusts(&self, runtime: &str) -> String {
        format!("{runtime}: 기록된 https 호출이 재생되었습니다.")
    }

    fn doctor_fails(&self, runtime: &str, words: &str) -> String {
        format!("{runtime}: 기록된 응답을 받지 못했습니다: {words}")
    }

    fn seen_refused(&self, list: &str) -> String {
        format!("TCP 만 캡처하므로 거부했습니다 (QUIC 클라이언트는 TCP 로 계속합니다): {list}")
    }

    fn seen_local_sockets(&self, list: &str) -> String {
        format!("로컬 소켓에 연결했습니다. 그 뒤의 프로그램은 캡처되지 않습니다: {list}")
    }

    fn seen_passed(&self, list: &str) -> String {
        format!("이 기계의 다른 프로그램으로 통과시켰습니다: {list}")
    }

    fn seen_unreadable(&self, list: &str) -> String {
        format!("메모리를 읽을 수 없어 연결을 거부한 프로그램: {list}")
    }

    fn ingress_environment(&self) -> String {
        "프록시 변수로 이끈 호출입니다. 이를 무시하는 클라이언트는 보이지 않습니다: 24 이전 Node 의 fetch 와 http 및 \
         직접 만든 agent, Proxy 없는 Go Transport, 프록시를 끈 Java 와 Rust 클라이언트, Rust hyper, 직접 연결하는 라이브러리 (WebSocket, \
         데이터베이스), loopback 주소로의 호출"
            .to_owned()
    }

    fn ingress_sockets(&self, nothing_seen: bool) -> String {
        if nothing_seen {
            return "서버 프로세스의 모든 소켓을 이끌었습니다. 서버는 외부 호출을 하지 않았습니다."
                .to_owned();
        }
        "서버 프로세스의 모든 소켓을 이끌었습니다.".to_owned()
    }

    fn nothing_seen(&self) -> String {
        "프록시에 닿은 외부 호출이 없습니다. 서버가 호출하지 않았거나, 호출이 프록시를 지나 실제 네트워크로 나갔습니다. 프록시 변수를 무시하는 \
         클라이언트 (24 이전 Node 의 fetch) 와 loopback 주소로의 호출이 그렇습니다."
            .to_owned()
    }
}
