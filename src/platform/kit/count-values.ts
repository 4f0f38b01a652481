/**
 * Whether JSON may hold more values than `count`, before anything is made of it: of commas, of objects or of lists. What text
 * says counts as well: to tell it apart would take as long as reading the JSON.
 *
 * Each value takes many times the bytes that it is written with, so a limit of bytes alone limits no memory.
 */
export const holdsManyValues = (text: string, count: number): boolean =>
  text.length > count && [',', '[', '{'].some((mark) => holdsMoreThan(count, mark, text))

/** Whether a text has more marks than `count`. */
export const holdsMoreThan = (count: number, mark: string, text: string): boolean =>
  text.split(mark, count + 2).length > count + 1
