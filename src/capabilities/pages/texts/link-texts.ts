import type { ActionLinkType } from '../../../platform/mails/mail-definition.ts'
import type {
  ConfirmLinkingTexts,
  ConfirmLinkTexts,
} from '../../../service/pages/confirm-link/confirm-texts.ts'

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

type LinkingTextKey = `linking.${Exclude<keyof ConfirmLinkingTexts, 'direction'>}`

/**
 * Returns the texts of the page that confirms the linking of an identity, under the keys of pages.
 */
export function linkingTexts(texts: ConfirmLinkingTexts): Record<LinkingTextKey, string> {
  const [provider, site] = ['{provider}', '{site}']
  return {
    'linking.heading': texts.heading(provider),
    'linking.effect': texts.effect(provider, site),
    'linking.providerAccount': texts.providerAccount(provider),
    'linking.ownAccount': texts.ownAccount(site),
    'linking.anonymous': texts.anonymous,
    'linking.unnamed': texts.unnamed,
    'linking.warning': texts.warning(site),
    'linking.link': texts.link,
    'linking.cancel': texts.cancel,
  }
}
