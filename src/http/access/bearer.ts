const PREFIX = 'Bearer '

/**
 * @param authorization the `Authorization` header
 * @returns undefined when it holds no token
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization?.startsWith(PREFIX) === true ? authorization.slice(PREFIX.length) : undefined
}
