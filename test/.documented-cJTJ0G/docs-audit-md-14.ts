declare const auth: import('latchkey').Auth
declare const user: import('latchkey').User
const { entries, nextCursor } = await auth.admin.listAudit({
  actorId: user.id, // the acting user; userId: the user that another actor changed
  action: 'login',
  since: new Date('2026-01-01'),
  until: '2026-02-01',
})

export {}
