import { sessionContext } from '../session'
import type { Route } from './+types/home'

export const loader = ({ context }: Route.LoaderArgs) => ({
  email: context.get(sessionContext).viewer?.claims.email,
})

export default function Home({ loaderData }: Route.ComponentProps) {
  return <p>hello, {loaderData.email ?? 'guest'}</p>
}
