import { html } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { checkbox, field } from '../../pages/components/field.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, done } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { notPermitted } from '../require-operator.ts'

const path = '/console/users/new'

/** Creates or invites a user. */
export const newUserRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    if (!request.mayChange) throw notPermitted()
    const { values, action } = request.state
    const typed = (form: string, name: string) => (action === form ? values[name] : undefined)
    const one = (form: string, name: string, label: string, hint?: string) =>
      field({ form, name, label, hint, value: typed(form, name), isOptional: true, maxLength: 320 })
    return presentConsole(request, {
      entry: 'users',
      heading: 'New user',
      trail: [{ label: 'Users', path: '/console/users' }],
      body: html`<section><h2>Create</h2><p>No message is sent.</p>
${actionForm(request, {
  path,
  action: 'create',
  label: 'Create a user',
  className: 'stack',
  body: html`${one('create', 'email', 'Email')}${one('create', 'phone', 'Phone', 'With the country code.')}
${field({ form: 'create', name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', isOptional: true, hint: 'Empty for a user who signs in by code or provider.' })}
${one('create', 'role', 'Role', 'Empty for the default role.')}
${checkbox('create', 'confirmed', 'The addresses are confirmed')}
${button('Create user', 'primary')}`,
})}</section>
<section><h2>Invite</h2><p>The user receives a mail with a link to accept the invitation.</p>
${actionForm(request, {
  path,
  action: 'invite',
  label: 'Invite a user',
  className: 'stack',
  body: html`${field({ form: 'invite', name: 'email', label: 'Email', type: 'email', value: typed('invite', 'email'), maxLength: 320 })}${button('Send invitation', 'primary')}`,
})}</section>`,
    })
  },
  actions: {
    create: async (request, form) => {
      const { admin, options } = request
      const isConfirmed = form.has('confirmed')
      const texts = textsIn(form, ['email', 'phone', 'password', 'role'])
      const user = await admin.createUser(
        {
          ...texts,
          ...(texts['email'] && { emailConfirm: isConfirmed }),
          ...(texts['phone'] && { phoneConfirm: isConfirmed }),
        },
        options,
      )
      return done(request, `/console/users/${user.id}`, 'The user was created.')
    },
    invite: async (request, form) => {
      const { admin, options } = request
      const user = await admin.inviteUser({ email: (form.get('email') ?? '').trim() }, options)
      return done(request, `/console/users/${user.id}`, 'The invitation was sent.')
    },
  },
}

/** Returns the fields that are not empty. Only passwords keep their white space. */
function textsIn(form: URLSearchParams, names: readonly string[]): Record<string, string> {
  const given = names.map((name) => {
    const text = form.get(name) ?? ''
    return [name, name === 'password' ? text : text.trim()] as const
  })
  return Object.fromEntries(given.filter(([, text]) => text !== ''))
}
