import type { PageServerLoad } from './$types'

export const load: PageServerLoad = ({ locals }) => ({ email: locals.session.viewer?.claims.email })
