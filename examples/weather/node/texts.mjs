// What the tools say, in English and Korean (WEATHER_LANG=ko).

const english = {
  language: 'en',
  cityNotText: '→ \'city\' must be a string. Example: { "city": "Seoul" }',
  notNumbers: "→ 'a' and 'b' must both be numbers.",
  unknownCity: (city, available) =>
    `→ No weather data for '${city}'. Available cities: ${available}\n→ This example server only has fixed data.`,
  noAnswer: (reason) => `→ The weather API did not answer: ${reason}.\n→ Check WEATHER_API and the way there.`,
  badAnswer: (status) => `→ The weather API answered with status ${status}.\n→ Check WEATHER_API and the way there.`,
};

const korean = {
  language: 'ko',
  cityNotText: '→ \'city\' 는 문자열이어야 합니다. 예: { "city": "서울" }',
  notNumbers: "→ 'a' 와 'b' 는 모두 숫자여야 합니다.",
  unknownCity: (city, available) =>
    `→ '${city}' 의 날씨 데이터가 없습니다. 사용 가능한 도시: ${available}\n→ 이 예제 서버는 고정 데이터만 가지고 있습니다.`,
  noAnswer: (reason) => `→ 날씨 API가 응답하지 않습니다: ${reason}.\n→ WEATHER_API 값과 네트워크를 확인하세요.`,
  badAnswer: (status) => `→ 날씨 API가 상태 코드 ${status} 로 응답했습니다.\n→ WEATHER_API 값과 네트워크를 확인하세요.`,
};

export const texts = process.env.WEATHER_LANG === 'ko' ? korean : english;
