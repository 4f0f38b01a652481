/** @returns what says, once, that a body was read before it came to us, and that nothing of it is left. */
export function watchLostBody(): () => void {
  let isSaid = false
  return () => {
    if (isSaid) return
    isSaid = true
    process.emitWarning(
      'The body of a request was read before it came to Latchkey, and is not in request.body: mount ' +
        'Latchkey before what reads bodies',
      { code: 'LATCHKEY_BODY_READ' },
    )
  }
}
