/**
 * Checks that a server is configured for real payments.
 * A setting that can only be a mistake prevents startup; a setting that may be intended causes a warning.
 */
import { err, ok } from '../engine/index.ts'
import type { Result } from '../engine/index.ts'
import type { Environment } from './dependencies.ts'
import { MIN_PASSWORD_CHARACTERS } from './office/auth/passwords.ts'
import { isOwnMachine } from './ops/environment.ts'

/**
 * Checks the settings. Errors are sentences and prevent startup; a success may include warnings. A rehearsal always
 * passes, with the warnings about misspelt variables.
 */
export function checkProduction(
  environment: Environment,
): Result<readonly string[], readonly string[]> {
  const { misspeltWarnings = [] } = environment
  if (!environment.production) return ok(misspeltWarnings)
  const { firstAdmin, smtpUrl, trustProxy } = environment
  const errors: string[] = []
  const addressError = checkAddress(environment.publicUrl)
  if (addressError !== null) errors.push(addressError)
  if (firstAdmin.password !== null && firstAdmin.password.length < MIN_PASSWORD_CHARACTERS)
    errors.push(
      `ADMIN_PASSWORD must be at least ${MIN_PASSWORD_CHARACTERS} characters long. Unset it to have one generated and printed at the first start.`,
    )
  if (errors.length > 0) return err(errors)
  return ok([
    ...misspeltWarnings,
    // Only a warning, because the operator may forward the files in another way.
    ...(smtpUrl === null
      ? [
          'SMTP_URL is not set: emails do not reach delegates; they are only written to DATA_DIR/mail.',
        ]
      : []),
    // Only a warning, because the address of a tunnel that hides the client cannot be listed.
    ...(trustProxy === null
      ? [
          'TRUST_PROXY is not set: behind a proxy, all visitors share the rate limits of one address. Set it to the address of the proxy (127.0.0.1 if it is on this machine).',
        ]
      : []),
  ])
}

/** Returns null if delegates and the gateway can reach the server at this address over an encrypted connection. */
function checkAddress(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  if (isOwnMachine(hostname))
    return `PUBLIC_URL is ${publicUrl}, which is reachable only from this machine: links in emails and the return from the gateway would fail. Set it to the https address of this server for delegates.`
  return protocol === 'https:'
    ? null
    : `PUBLIC_URL is ${publicUrl}: answers, uploads and office sessions would be sent unencrypted. Put a proxy with a certificate in front and set PUBLIC_URL to its https address.`
}
