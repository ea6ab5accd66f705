/**
 * Checks that a server is configured for real payments.
 * A setting that can only be a mistake prevents the start; one that may be intended gives a warning.
 */
import { err, ok } from '../engine/index.ts'
import type { Result } from '../engine/index.ts'
import type { Environment } from './dependencies.ts'
import { PASSWORD_CHARACTERS_MIN } from './office/auth/passwords.ts'
import { isOwnMachine } from './ops/environment.ts'

/** The error's sentences prevent serving; the value's sentences are warnings. A rehearsal is always served. */
export function servable(environment: Environment): Result<readonly string[], readonly string[]> {
  if (!environment.production) return ok([])
  const { firstAdmin, smtpUrl, trustProxy } = environment
  const wrong: string[] = []
  const address = wrongAddress(environment.publicUrl)
  if (address !== null) wrong.push(address)
  if (firstAdmin.password !== null && firstAdmin.password.length < PASSWORD_CHARACTERS_MIN)
    wrong.push(
      `ADMIN_PASSWORD must be at least ${PASSWORD_CHARACTERS_MIN} characters long. Unset it, and the first start makes one up and prints it.`,
    )
  if (wrong.length > 0) return err(wrong)
  return ok([
    // The operator may forward the files in another way.
    ...(smtpUrl === null
      ? [
          'SMTP_URL is not set: no confirmation reaches a delegate, each is only written to DATA_DIR/mail.',
        ]
      : []),
    // A tunnel that hides the client's address cannot be named.
    ...(trustProxy === null
      ? [
          'TRUST_PROXY is not set: behind the proxy that speaks https for this server, all visitors share the limits of one. Set it to the address of the proxy (127.0.0.1 when it is on this machine).',
        ]
      : []),
  ])
}

/** Null: delegates and the gateway can reach the server there, and the connection is encrypted. */
function wrongAddress(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  if (isOwnMachine(hostname))
    return `PUBLIC_URL is ${publicUrl}, which others cannot reach: links in mails and the way back from the gateway would lead nowhere. Set it to the https address at which delegates find this server.`
  return protocol === 'https:'
    ? null
    : `PUBLIC_URL is ${publicUrl}: answers, proofs and the session of the office would travel unencrypted. Put a proxy with a certificate in front and set PUBLIC_URL to its https address.`
}
