/** Fixed codes, for reviews of apps and for tests. */
export interface TestCodeSettings {
  testOtp: Readonly<Record<string, string>>
  testOtpValidUntil: Date | null
}

/** Returns the fixed code of a number, which needs no message; null for all other numbers. */
export function findTestCode(
  { testOtp, testOtpValidUntil }: TestCodeSettings,
  phone: string,
  now: Date,
): string | null {
  if (testOtpValidUntil !== null && now > testOtpValidUntil) return null
  const entry = Object.entries(testOtp).find(([number]) => digitsOf(number) === phone)
  return entry?.[1] ?? null
}

const digitsOf = (number: string): string => number.replace(/^\+/, '').replaceAll(' ', '')
