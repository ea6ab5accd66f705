/** Explains the responses of mail servers in plain words. */

const EXPLANATIONS: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH/,
    'The mail server could not be reached.',
  ],
  [/invalid login|\b535\b/i, 'The mail server rejected the username or password in SMTP_URL.'],
  [
    /recipients? .*rejected|\b55[013]\b/i,
    'The mail server rejected the address. Check it for a typo.',
  ],
]

/** Returns the explanation followed by the response, or only the response if there is no explanation. */
export function explainDeliveryError(error: string): string {
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(error))
  return explanation === undefined ? error : `${explanation[1]} Response: ${error}`
}
