import type { SubmitFunction } from '$app/forms'

/** Disables the button of a form while its action runs. */
export const once: SubmitFunction = ({ submitter }) => {
  const button = submitter instanceof HTMLButtonElement ? submitter : null
  if (button) button.disabled = true
  return async ({ update }) => {
    try {
      await update()
    } finally {
      if (button) button.disabled = false
    }
  }
}
