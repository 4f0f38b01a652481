export { auth }
declare const auth: import('latchkey').Auth
