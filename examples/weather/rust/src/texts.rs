//! What the tools say, in English and Korean.

/// The language of the tools' answers; the API knows both.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    English,
    Korean,
}

impl Language {
    /// The key of this language in the API's answers.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Korean => "ko",
        }
    }

    pub(crate) fn city_not_text(self) -> String {
        match self {
            Self::English => r#"→ 'city' must be a string. Example: { "city": "Seoul" }"#,
            Self::Korean => r#"→ 'city' 는 문자열이어야 합니다. 예: { "city": "서울" }"#,
        }
        .to_owned()
    }

    pub(crate) fn not_numbers(self) -> String {
        match self {
            Self::English => "→ 'a' and 'b' must both be numbers.",
            Self::Korean => "→ 'a' 와 'b' 는 모두 숫자여야 합니다.",
        }
        .to_owned()
    }

    pub(crate) fn unknown_city(self, city: &str, available: &str) -> String {
        match self {
            Self::English => format!(
                "→ No weather data for '{city}'. Available cities: {available}\n\
                 → This example server only has fixed data."
            ),
            Self::Korean => format!(
                "→ '{city}' 의 날씨 데이터가 없습니다. 사용 가능한 도시: {available}\n\
                 → 이 예제 서버는 고정 데이터만 가지고 있습니다."
            ),
        }
    }

    pub(crate) fn no_answer(self, reason: &str) -> String {
        match self {
            Self::English => {
                format!("→ The weather API did not answer: {reason}.\n→ Check WEATHER_API and the way there.")
            }
            Self::Korean => format!(
                "→ 날씨 API가 응답하지 않습니다: {reason}.\n→ WEATHER_API 값과 네트워크를 확인하세요."
            ),
        }
    }

    pub(crate) fn bad_answer(self, status: u16) -> String {
        match self {
            Self::English => format!(
                "→ The weather API answered with status {status}.\n→ Check WEATHER_API and the way there."
            ),
            Self::Korean => format!(
                "→ 날씨 API가 상태 코드 {status} 로 응답했습니다.\n→ WEATHER_API 값과 네트워크를 확인하세요."
            ),
        }
    }
}
