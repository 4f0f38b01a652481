import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

/** @see https://developer.spotify.com/documentation/web-api/tutorials/code-flow */
export const spotify: ProviderDefinition = {
  label: providerLabels.spotify,
  endpoints: ({ url }) => {
    const accounts = url ?? 'https://accounts.spotify.com'
    return { authorization: `${accounts}/authorize`, token: `${accounts}/api/token` }
  },
  scopes: ['user-read-email'],
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const api = client.url ?? 'https://api.spotify.com/v1'
    const user = await get(`${api}/me`)
    return {
      subject: user.text('id'),
      // Spotify's documentation states that the address is unverified.
      emails: oneEmail(user.text('email'), false),
      claims: {
        iss: api,
        ...named(user.text('display_name')),
        ...pictured(largest(user.list('images'))),
      },
    }
  },
}

function largest(images: readonly JsonReader[]): string | null {
  const area = (image: JsonReader) => (image.number('height') ?? 0) * (image.number('width') ?? 0)
  const [first] = images.toSorted((one, other) => area(other) - area(one))
  return first?.text('url') ?? null
}
