import { builtIn } from '../../platform/kit/built-in.ts'

/** The first byte of a compressed body. JSON begins with a brace. */
const compressed = 1
/** The first byte where texts of the row are part of the dictionary. */
const compressedWithRow = 2

/**
 * Text that bodies contain, the most frequent last. Stored bodies can be read only with the same
 * text: it never changes, and another one needs another first byte.
 */
const dictionary = Buffer.from(
  [
    '{"to":"49","code":"","channel":"whatsapp","isForFactor":true}{"to":"1","code":"","channel":"sms"}',
    '"user.updated","user.deleted","password.changed","factor.added","factor.removed","identity.linked"',
    '{"type":"session.ended","created_at":"2026-","user_id":"","data":{"scope":"global","session_id":null,"reason":"sign_out"}}',
    '{"type":"session.opened","data":{"session_id":"","method":"password"}}{"type":"user.created","data":{"user":',
    '{"user":{"id":"","aud":"authenticated","role":"authenticated","email":"","email_confirmed_at":"2026-',
    '","phone":"","phone_confirmed_at":"","confirmation_sent_at":"","confirmed_at":"","recovery_sent_at":"',
    '","last_sign_in_at":"","app_metadata":{"provider":"email","providers":["email"]},"user_metadata":{',
    '"email":"","email_verified":true,"phone_verified":false,"sub":""},"identities":[{"identity_id":"","id":"',
    '","user_id":"","identity_data":{"email":"","email_verified":false,"phone_verified":false,"sub":""},',
    '"provider":"email","last_sign_in_at":"","created_at":"","updated_at":"","email":""}],"created_at":"',
    '","updated_at":"","is_anonymous":false},"sms":{"otp":"","phone":"","sms_type":"mfa"},"email_data":{',
    '"token":"","token_hash":"","redirect_to":"","email_action_type":"reauthentication","site_url":"',
    '","token_new":"","token_hash_new":"","old_email":"","old_phone":"","provider":"","factor_type":""}}',
    '{"kind":"passwordChanged","to":"","languages":[],"variables":{"SiteURL":"http://localhost:3000","Email":"',
    '","Data":{"full_name":"","name":"","locale":"de"},"OldEmail":"","NewEmail":"","Provider":"","FactorType":"totp"}}',
    '"kind":"reauthentication","kind":"emailChange","kind":"invite","kind":"recovery","kind":"confirmation"',
    '.com","languages":["de-DE","de","fr","en-US","en"],"Data":{"sub":"","email":"","email_verified":true,"phone_verified":false}',
    '&type=email_change&type=invite&type=recovery&type=signup&redirect_to=http%3A%2F%2Flocalhost%3A3000',
    '{"kind":"magicLink","to":"@example.com","languages":["en"],"variables":{"SiteURL":"https://app.","Email":"',
    '@gmail.com","Data":{},"ConfirmationURL":"https://auth.example.com/auth/verify?token=pkce_&type=magiclink&redirect_to=https%3A%2F%2F',
    '","Token":"123456","TokenHash":"","RedirectTo":"https://"}}',
  ].join(''),
)

/** Bodies are short: smaller buffers than zlib's own take a tenth of the time. */
const options = { dictionary, level: 9, windowBits: 12, memLevel: 3, chunkSize: 1024 }

/**
 * Returns the body of a message in the form to seal. A link with its secret and its target occurs
 * several times in a body, and its names are in every body: compressed it has a third of the
 * length, which the write-ahead log contains, too.
 *
 * @param rowText texts of the row that the body repeats, such as the address. They never change.
 */
export function compactBody(json: string, rowText = ''): string | Uint8Array {
  const short = builtIn.zlib.deflateRawSync(json, optionsWith(rowText))
  return short.length < Buffer.byteLength(json)
    ? Buffer.concat([Uint8Array.of(rowText ? compressedWithRow : compressed), short])
    : json
}

const optionsWith = (rowText: string): typeof options =>
  rowText ? { ...options, dictionary: Buffer.concat([dictionary, Buffer.from(rowText)]) } : options

/** Returns the JSON of a body that {@link compactBody} or an earlier version made. */
export function expandBody(body: Buffer, rowText = ''): string {
  if (body[0] !== compressed && body[0] !== compressedWithRow) return body.toString('utf8')
  const used = optionsWith(body[0] === compressedWithRow ? rowText : '')
  return builtIn.zlib.inflateRawSync(body.subarray(1), used).toString('utf8')
}
