import { html } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { formFields, textIn } from '../components/form-fields.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, done, userPath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { notPermitted } from '../require-operator.ts'

const path = '/console/users/new'

/** Creates or invites a user. */
export const newUserRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    if (!request.mayChange) throw notPermitted()
    const { t } = request
    const create = formFields(request, 'create')
    const invite = formFields(request, 'invite')
    return presentConsole(request, {
      entry: 'users',
      heading: t('users.new'),
      trail: [{ label: t('nav.users'), path: '/console/users' }],
      body: html`<section><h2>${t('newUser.create')}</h2><p class="detail">${t('newUser.createLead')}</p>
${actionForm(request, {
  path,
  action: 'create',
  label: t('newUser.create'),
  className: 'stack',
  body: html`${create.text('email', t('field.email'))}${create.text('phone', t('field.phone'), { hint: t('newUser.phoneHint') })}
${create.text('password', t('field.password'), { type: 'password', autocomplete: 'new-password', hint: t('newUser.passwordHint') })}
${create.text('role', t('field.role'), { hint: t('newUser.roleHint') })}
${create.check('confirmed', t('newUser.confirmed'))}
${button(t('newUser.createSubmit'), 'primary')}`,
})}</section>
<section><h2>${t('newUser.invite')}</h2><p class="detail">${t('newUser.inviteLead')}</p>
${actionForm(request, {
  path,
  action: 'invite',
  label: t('newUser.invite'),
  className: 'stack',
  body: html`${invite.text('email', t('field.email'), { type: 'email', isRequired: true })}${button(t('newUser.inviteSubmit'), 'primary')}`,
})}</section>`,
    })
  },
  actions: {
    create: async (request, form) => {
      const { admin, options, t } = request
      const isConfirmed = form.has('confirmed')
      const password = form.get('password') ?? ''
      const texts = Object.fromEntries(
        ['email', 'phone', 'role']
          .map((name) => [name, textIn(form, name)] as const)
          .filter(([, text]) => text !== ''),
      )
      const user = await admin.createUser(
        {
          ...texts,
          ...(password !== '' && { password }),
          ...(texts['email'] && { emailConfirm: isConfirmed }),
          ...(texts['phone'] && { phoneConfirm: isConfirmed }),
        },
        options,
      )
      return done(request, userPath(user.id), t('newUser.created'))
    },
    invite: async (request, form) => {
      const { admin, options, t } = request
      const user = await admin.inviteUser({ email: textIn(form, 'email') }, options)
      return done(request, userPath(user.id), t('newUser.invited'))
    },
  },
}
