/**
 * Control and format characters, letters and marks that are not displayed, and white space other
 * than the space. Pages show names beside their own texts: such characters reverse, hide or divide
 * them.
 *
 * @see UTS #39 §5.4, UAX #44 Default_Ignorable_Code_Point
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
/** The characters that join emojis, and display them in color. */
const emojiJoiners =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu

/**
 * Returns whether a name has a character that is not displayed, or that changes the order of
 * others.
 */
export const hasHiddenCharacter = (name: string): boolean =>
  hidden.test(name.replace(emojiJoiners, ''))

/** The text of the error for a name with such a character. */
export const hiddenCharacter = 'may contain no control or invisible characters'
