declare const auth: import('latchkey').Auth
declare function oldUsers(): AsyncIterable<import('latchkey').UserToImport>
const report = await auth.admin.importUsers(oldUsers(), {
  onProgress: ({ imported, refused }) => console.log(imported, refused),
  onRefused: ({ place, field, message }) => console.warn(place, field, message),
})

export {}
