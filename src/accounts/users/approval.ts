declare const approved: unique symbol

/**
 * The application's approval of a new user, without which none is stored. Only `approveNewUser`
 * returns it: any other creation of a user would bypass the before-user-created hook.
 */
export interface Approval {
  readonly [approved]: true
}
