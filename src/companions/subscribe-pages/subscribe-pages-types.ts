/** A list that people may join. */
export interface SubscriberList {
  id: number
  name: string
  description: string | null
  /** Where forms show it among the others. */
  listPosition: number | null
  /** Whether anybody may look it up by its id. */
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

/** The subscriber lists. They are managed in code and by `latchkey lists`: no endpoint changes them. */
export interface ListManager {
  /** All of them, by position. */
  list(): Promise<SubscriberList[]>
  /** @throws SubscribePagesError (422) with everything that is wrong. */
  create(list: NewSubscriberList): Promise<SubscriberList>
  /**
   * Changes what is given, and leaves the rest.
   *
   * @returns the list; null when there is none with this id.
   * @throws SubscribePagesError (422) with everything that is wrong.
   */
  update(id: number, changes: Partial<NewSubscriberList>): Promise<SubscriberList | null>
  /** @returns whether there was one. */
  remove(id: number): Promise<boolean>
}

export interface SubscribePagesOptions {
  /** What `createAuth` returned: its users are the administrators, its database keeps the pages. */
  auth: {
    readonly app: { fetch(request: Request): Promise<Response> }
    readonly ready: () => Promise<void>
  }
  /** Below which the paths are, from where it is mounted. Default: `/api/v2`, and none. */
  basePaths?: readonly string[] | undefined
  cors?:
    | {
        /** The origins whose scripts may ask, such as `https://shop.example.com`. Default: none. */
        origins?: readonly string[] | undefined
      }
    | undefined
}

/** Subscription pages, ready to be mounted. */
export interface SubscribePages {
  /**
   * Answers one request.
   *
   * @param options.ip the IP address of the socket's peer, without a port: log-ins are limited by it.
   */
  fetch(request: Request, options?: { ip?: string | undefined }): Promise<Response>
  /** The same, for what mounts an application by its `fetch`. */
  readonly app: { fetch(request: Request): Promise<Response> }
  /** Nothing is linked to, so that it may be mounted anywhere. */
  readonly basePath: null
  readonly lists: ListManager
  /**
   * Starts the service if need be, and makes the tables. Requests do so by themselves.
   *
   * @throws what `auth.ready` throws.
   */
  ready(): Promise<void>
}
