/** Looked for at the beginning of a word alone: from each letter on, a long text would take minutes. */
const emailAddress = /(?<![^\s"'<>(),;:])[^\s"'<>(),;:]+@[^\s"'<>(),;:]+/g

/** Six digits or more, however they are grouped: a number or a code. Error codes are shorter. */
const longNumber = /(?<!\w)\+?\d(?:[\s().-]*\d){5,}(?!\w)/g

/** Takes addresses, phone numbers and codes out of what others say, so that it may be kept. */
export const hideAddresses = (text: string): string =>
  text.replace(emailAddress, '…').replace(longNumber, '…')
