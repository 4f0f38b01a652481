/**
 * Reports whether JSON may contain more than `count` values, before it is parsed: more commas,
 * objects or lists. Marks inside strings are counted as well: distinguishing them would take as
 * long as parsing.
 *
 * Each value takes many times the memory of its text, so a limit of bytes does not limit memory.
 */
export const holdsManyValues = (text: string, count: number): boolean =>
  text.length > count && [',', '[', '{'].some((mark) => holdsMoreThan(count, mark, text))

/** Reports whether a text has more marks than `count`. */
export const holdsMoreThan = (count: number, mark: string, text: string): boolean =>
  text.split(mark, count + 2).length > count + 1
