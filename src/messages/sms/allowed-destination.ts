/** The setting that says where messages may go: beginnings of numbers, without `+`. */
interface Settings {
  allowedPrefixes: readonly string[]
}

/**
 * Whether a message may go to a number.
 *
 * @param phone the digits of E.164, without `+`.
 */
export const isAllowedDestination = ({ allowedPrefixes }: Settings, phone: string): boolean =>
  allowedPrefixes.length === 0 || allowedPrefixes.some((prefix) => phone.startsWith(prefix))
