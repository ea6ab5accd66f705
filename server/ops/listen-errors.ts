/** Explains to operators why a port cannot be opened, with the variable to change. */

/** The socket to open, and the variable that sets its port. */
type ListenAddress = {
  readonly variable: 'PORT' | 'SANDBOX_PORT'
  readonly port: number
  readonly host: string
}

/** On Linux, opening a port below this one requires a privilege that a service user does not have. */
const MIN_UNPRIVILEGED_PORT = 1024
/** Error codes that mean that HOST is not a name or an address of this machine. */
const HOST_ERROR_CODES = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT']

/** Explains the error in a sentence with the next step; null if the error is a bug. */
export function explainListenError(
  error: unknown,
  { variable, port, host }: ListenAddress,
): string | null {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException
  const isSandbox = variable === 'SANDBOX_PORT'
  const purpose = isSandbox ? ', and the sandbox gateway needs it' : ''
  const fallback = isSandbox ? ' Without SANDBOX_PORT, it is PORT + 1.' : ''
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is already in use${purpose}. Set ${variable} to a free port.${fallback}`
  if (code === 'EACCES' || code === 'EPERM')
    return `${variable} is ${port}, a port that this user is not allowed to open. Set ${variable} to ${MIN_UNPRIVILEGED_PORT} or higher, and put a proxy in front of it.${fallback}`
  if (HOST_ERROR_CODES.includes(code))
    return `HOST is ${host}, which is not an address of this machine (${code}). Set HOST to 127.0.0.1, or to an address of this machine.`
  return null
}
