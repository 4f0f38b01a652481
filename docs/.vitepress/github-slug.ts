/** The anchor of a heading as GitHub makes it; the site makes the same, so that links hold in both. */
export const githubSlug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
