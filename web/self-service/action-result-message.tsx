/** Shows the result of a panel's last action, and announces it to screen readers. */
import { Icon } from '../ui/icons-and-logo.tsx'
import type { SelfServiceAction } from './use-self-service-action.ts'

export function ActionResult({
  action: { message, problem },
}: {
  readonly action: SelfServiceAction
}) {
  return (
    <>
      <p className={message === null ? 'vh' : 'action-result'} role="status">
        {message !== null && (
          <>
            <Icon name="tick" />
            {message}
          </>
        )}
      </p>
      {problem !== null && (
        <p className="msg" role="alert">
          <Icon name="bang" />
          {problem}
        </p>
      )}
    </>
  )
}
