/** The configured providers. */
export default defineEventHandler(() => (process.env.GITHUB_CLIENT_ID ? ['github' as const] : []))
