/** The part of the application (`app.ts`) with listeners, audit and error handling. */
import {
  type AdminApi,
  type AfterUserCreatedPayload,
  type Auth,
  type AuthConfig,
  type AuthEvent,
  type AuthEventData,
  type AuthEventType,
  type BeforeUserCreatedPayload,
  type CacheStorage,
  type CallActor,
  type CallOptions,
  type CaptchaAttempt,
  ClosedError,
  type CustomAccessTokenPayload,
  type DecisionKind,
  EmbeddedPostgresMissingError,
  type ExplainedDecision,
  FolderInUseError,
  ForeignSchemaError,
  HashingPackageMissingError,
  type HostEntityManager,
  type HostTransaction,
  type InstantInput,
  type LayoutTexts,
  type MailContent,
  type MailTemplate,
  type MfaVerificationPayload,
  MissingTablesError,
  type OutgoingMail,
  PasswordScoreMissingError,
  type PasswordVerificationPayload,
  RedisPackageMissingError,
  TelemetryStartError,
  type TemplateMail,
  type TemplateResult,
  UnsupportedNodeError,
  type VerifyCaptcha,
} from 'latchkey'
import type { PageSession } from 'latchkey/client'
import type { HttpRequest, HttpResponse, NodeHandler } from 'latchkey/node'
import { type InputField, type InputStruct, inputStruct } from 'latchkey/structs'
import type { OutgoingSms } from 'latchkey/testing'

const seen: string[] = []
const storage: CacheStorage = {
  getItem: async (key) => seen.find((one) => one === key),
  setItem: async (key, value) => void seen.push(key, JSON.stringify(value)),
  removeItem: async (key) => void seen.splice(seen.indexOf(key), 1),
}
const verify: VerifyCaptcha = ({ token, ip, path }: CaptchaAttempt) => token === `${ip}${path}`
const send = async ({ to, subject, text }: OutgoingMail): Promise<void> =>
  void seen.push(to, subject, text)
const welcome: LayoutTexts = { heading: 'Welcome', message: 'Confirm.', closing: 'Or ignore it.' }
const inLayout = (mail: TemplateMail): MailContent => mail.layout(welcome)
const plain: MailTemplate = async ({ builtIn }): Promise<TemplateResult> => ({
  subject: builtIn.subject,
  html: builtIn.html,
})
const sendText = async ({ to, code }: OutgoingSms): Promise<void> => void seen.push(to, code)

const describeEvent = (event: AuthEvent): string => {
  const type: AuthEventType = event.type
  if (event.type !== 'session.opened') return `${type} ${event.user_id}`
  const data: AuthEventData['session.opened'] = event.data
  return data.method
}

export const listening: AuthConfig = {
  storage,
  security: { captcha: { verify } },
  email: { send, templates: { confirmation: inLayout, invite: { de: plain } } },
  sms: { send: sendText },
  hooks: {
    beforeUserCreated: ({ user }: BeforeUserCreatedPayload) => void seen.push(user.email),
    afterUserCreated: ({ user }: AfterUserCreatedPayload) => void seen.push(user.id),
    customAccessToken: ({ claims, user_id }: CustomAccessTokenPayload) => ({
      claims: { ...claims, user_id },
    }),
    passwordVerificationAttempt: ({ valid }: PasswordVerificationPayload) => ({
      decision: valid ? 'continue' : 'reject',
    }),
    mfaVerificationAttempt: ({ valid }: MfaVerificationPayload) => ({
      decision: valid ? 'continue' : 'reject',
    }),
    events: (event: AuthEvent) => void seen.push(describeEvent(event)),
  },
}

export async function joinTransaction(
  admin: AdminApi,
  { em, tx }: { em: HostEntityManager; tx: HostTransaction },
): Promise<string[]> {
  const actor: CallActor = { id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479', role: 'support' }
  const byOrm: CallOptions = { em, actor }
  const { id } = await admin.createUser({ email: 'ada@example.com' }, byOrm)
  const createdAt: InstantInput = '2020-01-01T00:00:00Z'
  await admin.importUsers([{ email: 'joan@example.com', createdAt }], {}, { tx })
  const decisions: ExplainedDecision[] = await admin.explain(id)
  const kinds: DecisionKind[] = decisions.map(({ kind }) => kind)
  return kinds
}

export async function startOrReport(auth: Auth): Promise<string> {
  try {
    await auth.ready()
    return 'ready'
  } catch (error) {
    if (error instanceof ClosedError) return `${error.status} closed`
    if (error instanceof UnsupportedNodeError) return error.message
    if (error instanceof FolderInUseError || error instanceof ForeignSchemaError) return error.name
    if (error instanceof EmbeddedPostgresMissingError) return 'npm install @mikro-orm/pglite'
    if (error instanceof PasswordScoreMissingError) return 'npm install @zxcvbn-ts/core'
    if (error instanceof RedisPackageMissingError) return 'npm install redis'
    if (error instanceof HashingPackageMissingError) return 'npm install --include=optional'
    if (error instanceof TelemetryStartError || error instanceof MissingTablesError)
      return error.message
    throw error
  }
}

export const logged =
  (handle: NodeHandler): NodeHandler =>
  (request: HttpRequest, response: HttpResponse) => {
    seen.push(`${request.method} ${request.url} ${response.statusCode}`)
    return handle(request, response)
  }

export function requiredFieldsOf(method: 'auth.api.signUp' | 'auth.admin.createUser'): string[] {
  const struct: InputStruct<Record<string, unknown>, Record<string, InputField>> = inputStruct(
    method,
  )
  const [error, input] = struct.validate({ email: 'ada@example.com' }, { coerce: true })
  seen.push(error ? error.failures().join() : Object.keys(input).join())
  return Object.keys(struct.schema).filter((name) => struct.schema[name]?.isRequired)
}

export const tokenOf = (session: PageSession | null): string | undefined => session?.access_token
