import { html, type Markup } from '../../../service/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { field } from './field.ts'

/**
 * A field for a new password with the rules of the password policy, which a script checks while the
 * user types.
 */
export function newPasswordField(
  { text, host }: PageRequest,
  options: { form: string; name: string; error: string | undefined; label?: string },
): Markup {
  const { minLength, requiredCharacters } = host.deps.config.passwords
  const { form, name, error, label = text('field.password') } = options
  const rules = `${form}-${name}-rules`
  return html`${field({
    form,
    name,
    label,
    type: 'password',
    autocomplete: 'new-password',
    error,
    describedBy: rules,
    reveal: { show: text('field.show'), hide: text('field.hide') },
  })}
<ul class="rules" id="${rules}" data-of="${form}-${name}">
<li data-min="${minLength}"><span class="mark" aria-hidden="true">· </span>${text('field.passwordLength', { count: minLength })}</li>
${requiredCharacters.map(
  (characters) =>
    html`<li data-chars="${characters}"><span class="mark" aria-hidden="true">· </span>${text(
      'field.passwordCharacters',
      { characters: shortened(characters) },
    )}</li>`,
)}
</ul>`
}

/**
 * Returns characters as ranges, such as `a–z A–Z` or `0–9`. Ranges of at most three are in full.
 */
function shortened(characters: string): string {
  const ranges: string[][] = []
  for (const one of characters) {
    const last = ranges.at(-1)
    const follows = last?.at(-1)?.codePointAt(0) === (one.codePointAt(0) ?? 0) - 1
    if (last && follows) last.push(one)
    else ranges.push([one])
  }
  const isRange = (range: string[]) => range.length > 3
  return ranges
    .map((range) => (isRange(range) ? `${range[0]}–${range.at(-1)} ` : range.join('')))
    .join('')
    .trim()
}
