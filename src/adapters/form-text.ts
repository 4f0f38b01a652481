/** Fields of a form as they travel in a body. What a parser made of one, other than text, is no field that anything here reads. */
export function formText(fields: Iterable<readonly [string, unknown]>): string {
  const form = new URLSearchParams()
  for (const [name, value] of fields) if (typeof value === 'string') form.append(name, value)
  return form.toString()
}
