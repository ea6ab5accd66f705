/** The result of the last action in a panel, shown and announced to screen readers. */
import { Icon } from '../ui/icons-and-logo.tsx'
import type { Acting } from './use-self-service-action.ts'

export function Said({ acting: { done, problem } }: { readonly acting: Acting }) {
  return (
    <>
      <p className={done === null ? 'vh' : 'mydone'} role="status">
        {done !== null && (
          <>
            <Icon name="tick" />
            {done}
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
