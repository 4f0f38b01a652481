/** A list for subscribers. */
export interface SubscriberList {
  id: number
  name: string
  description: string | null
  /** The position among the lists of a form. */
  listPosition: number | null
  /** True if any client may read it by its id. */
  public: boolean
}

export interface NewSubscriberList {
  /** 1 to 255 characters. */
  name: string
  /** 1,000 characters at most. Default: none. */
  description?: string | null | undefined
  /** Default: none. */
  listPosition?: number | null | undefined
  /** Default: false. */
  public?: boolean | undefined
}

/**
 * The subscriber lists. They are managed in code and by `latchkey lists`; no endpoint changes them.
 */
export interface ListManager {
  /** Returns all lists, by position. */
  list(): Promise<SubscriberList[]>
  /** @throws SubscribePagesError (422) with all violated rules. */
  create(list: NewSubscriberList): Promise<SubscriberList>
  /**
   * Changes the given fields, and keeps the others.
   *
   * @returns the list; null if there is none with this id.
   * @throws SubscribePagesError (422) with all violated rules.
   */
  update(id: number, changes: Partial<NewSubscriberList>): Promise<SubscriberList | null>
  /** Deletes a list. @returns whether it existed. */
  remove(id: number): Promise<boolean>
}

export interface SubscribePagesOptions {
  /**
   * The return value of `createAuth`. Its users are the administrators, its database stores the
   * pages.
   */
  auth: {
    readonly app: { fetch(request: Request): Promise<Response> }
    readonly ready: () => Promise<void>
  }
  /** The base paths, relative to the mount point. Default: `/api/v2`, and none. */
  basePaths?: readonly string[] | undefined
  cors?:
    | {
        /**
         * The origins whose scripts may send requests, such as `https://shop.example.com`. Default:
         * none.
         */
        origins?: readonly string[] | undefined
      }
    | undefined
}

/** Subscription pages, to be mounted in a host. */
export interface SubscribePages {
  /**
   * Serves one request.
   *
   * @param options.ip the IP address of the socket's peer, without a port. Log-ins are limited by
   *   it.
   */
  fetch(request: Request, options?: { ip?: string | undefined }): Promise<Response>
  /** Serves requests of hosts that mount an application by its `fetch`. */
  readonly app: { fetch(request: Request): Promise<Response> }
  /** Null, since responses contain no links. It may be mounted at any path. */
  readonly basePath: null
  readonly lists: ListManager
  /**
   * Starts the service if needed, and creates the tables. Requests do so themselves.
   *
   * @throws the errors of `auth.ready`.
   */
  ready(): Promise<void>
}
