/** A larger body is refused, whether or not it says its length. */
export const maxBodyBytes = 1_048_576
