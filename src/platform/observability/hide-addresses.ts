/**
 * Matched at the beginning of a word only: matching from each letter of a long text would take
 * minutes.
 */
const emailAddress = /(?<![^\s"'<>(),;:])[^\s"'<>(),;:]+@[^\s"'<>(),;:]+/g

/** Six digits or more, in any grouping: a number or a code. Error codes are shorter. */
const longNumber = /(?<!\w)\+?\d(?:[\s().-]*\d){5,}(?!\w)/g

/** Replaces addresses, phone numbers and codes in external text, so that it may be stored. */
export const hideAddresses = (text: string): string =>
  text.replace(emailAddress, '…').replace(longNumber, '…')
