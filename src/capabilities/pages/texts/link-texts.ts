import type { ActionLinkType } from '../../../platform/mails/mail-definition.ts'
import type { ConfirmLinkTexts } from '../../../service/pages/confirm-link/confirm-link-texts.ts'

type Part = 'heading' | 'button'

type LinkTextKey = `link.${ActionLinkType | 'other'}.${Part}` | 'link.message' | 'link.closing'

/** Returns the texts of the page of a mailed link under the keys of pages. */
export function linkTexts({
  purposes,
  otherwise,
  message,
  closing,
}: ConfirmLinkTexts): Record<LinkTextKey, string> {
  const entries = Object.entries({ ...purposes, other: otherwise }).flatMap(([type, texts]) =>
    (['heading', 'button'] as const).map((part) => [`link.${type}.${part}`, texts[part]]),
  )
  return { ...Object.fromEntries(entries), 'link.message': message, 'link.closing': closing }
}
