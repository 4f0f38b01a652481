import { html, type Markup } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { field } from '../../pages/components/field.ts'
import { type ConsoleRequest, consolePath } from '../console-request.ts'

interface Filter {
  name: string
  label: string
  hint?: string
  /** The values of a choice, each with its label. The first is the default. */
  choices?: readonly (readonly [value: string, label: string])[]
}

/** A form of a list or choice, whose URL contains the filters. */
export const filterForm = (
  request: ConsoleRequest,
  path: string,
  label: string,
  filters: readonly Filter[],
  submit: string,
): Markup =>
  html`<form method="get" role="search" aria-label="${label}" class="filters" action="${consolePath(request, path)}">
${filters.map((filter) => (filter.choices ? choice(request, filter) : typed(request, filter)))}
${button(submit, 'secondary')}
</form>`

const typed = ({ query }: ConsoleRequest, { name, label, hint }: Filter): Markup =>
  field({
    form: 'filter',
    name,
    label,
    hint,
    value: query.get(name) ?? '',
    isOptional: true,
    maxLength: 400,
  })

const choice = ({ query }: ConsoleRequest, { name, label, choices = [] }: Filter): Markup =>
  selectField({ form: 'filter', name, label, choices, value: query.get(name) ?? '' })

interface SelectOptions {
  form: string
  name: string
  label: string
  value: string
  choices: readonly (readonly [value: string, label: string])[]
}

/** A field with a choice of values. */
export const selectField = ({ form, name, label, value, choices }: SelectOptions): Markup =>
  html`<div class="field"><div class="label"><label for="${form}-${name}">${label}</label></div>
<div class="input"><select id="${form}-${name}" name="${name}">${choices.map(
    ([key, text]) =>
      html`<option value="${key}"${key === value && html` selected`}>${text}</option>`,
  )}</select></div></div>`
