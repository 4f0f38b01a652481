/** What is used of an event of h3. */
export interface ServerEvent {
  readonly path: string
  readonly node: {
    readonly req: {
      readonly method?: string | undefined
      readonly headers: { [name: string]: string | string[] | undefined }
    }
  }
}
