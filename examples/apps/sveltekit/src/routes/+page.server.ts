import type { ServerLoad } from '@sveltejs/kit'

export const load: ServerLoad = ({ locals }) => ({ email: locals.session.viewer?.claims.email })
