/** The user's own account: details, second factor, password and sessions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { AccountAnswer, SecondFactorAnswer } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readMessage } from '../office-api-responses.ts'
import { ApiForm, CodeField, Field } from '../ui/form-fields.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readAccount, readRecoveryCodes, readSecret } from './users-api-responses.ts'
import { formatDateTime } from '../ui/format-date-time.ts'
import '../registration/registration-details-page.css'
import './team-page.css'

export const ACCOUNT_CALL = '/api/admin/me/'

export function AccountPage({ isHeld }: { readonly isHeld: boolean }) {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => callApi(ACCOUNT_CALL, readAccount, { signal }),
  })
  const error = useSignInOn401(query.error)
  const again = () => {
    void query.refetch()
    // A second factor changes what the session may do.
    void client.invalidateQueries({ queryKey: ['session'] })
  }
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Your account">
        {query.data && <p className="mute">{standing(query.data)}</p>}
      </PageHeading>
      {isHeld && (
        <p className="care">
          <Icon name="lock" />
          Your role needs two-step sign-in. Set it up here to open the rest of the office.
        </p>
      )}
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: again }} />}
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading your account</span>
        </p>
      )}
      {query.data && (
        <div className="panels top">
          <SecondFactor account={query.data} onChange={again} />
          <div>
            <Password account={query.data} onChange={again} />
            <Sessions account={query.data} onChange={again} />
          </div>
        </div>
      )}
    </main>
  )
}

const standing = ({ username, role, events }: AccountAnswer): string =>
  `${username} · ${role} for ${events === null ? 'all events' : events.join(', ')}`

type Part = { readonly account: AccountAnswer; readonly onChange: () => void }

function SecondFactor({ account, onChange }: Part) {
  const { is_on, is_required, recovery_codes_left: left } = account.second_factor
  const [setUp, setSetUp] = useState<SecondFactorAnswer | null>(null)
  const [told, setTold] = useState<{ message: string; codes: readonly string[] } | null>(null)
  const show = (answer: { message: string; recovery_codes: readonly string[] }) => {
    setSetUp(null)
    setTold({ message: answer.message, codes: answer.recovery_codes })
    onChange()
  }
  return (
    <section className="pan" aria-labelledby="factor">
      <div className="ph">
        <h2 id="factor">Two-step sign-in</h2>
        <Badge tone={is_on ? 'good' : 'care'} icon={is_on ? 'tick' : 'lock'}>
          {is_on ? 'On' : 'Off'}
        </Badge>
      </div>
      <p className="mute">
        {is_on
          ? `After your password, you enter a code from your phone. ${left === 1 ? 'One recovery code is' : `${left} recovery codes are`} left.`
          : 'After your password, you enter a code from an app on your phone. A stolen password alone is then useless.'}
      </p>
      <div role="status">
        {told && <p className="settled">{told.message}</p>}
        {told && told.codes.length > 0 && <RecoveryCodes codes={told.codes} />}
      </div>
      {setUp ? (
        <Confirming secret={setUp} onDone={show} onCancel={() => setSetUp(null)} />
      ) : (
        <Choice title={is_on ? 'Set up another phone' : 'Set up'} isOpen={!is_on}>
          <ApiForm
            label="Set up two-step sign-in"
            path={`${ACCOUNT_CALL}second-factor/`}
            read={readSecret}
            button="Show QR code"
            onDone={(secret) => {
              setTold(null)
              setSetUp(secret)
            }}
          >
            <OwnPassword />
            {is_on && <CodeField />}
          </ApiForm>
        </Choice>
      )}
      {is_on && (
        <Choice title="Create new recovery codes">
          <ApiForm
            label="Create new recovery codes"
            path={`${ACCOUNT_CALL}recovery-codes/`}
            read={readRecoveryCodes}
            button="Create codes"
            onDone={show}
          >
            <OwnPassword />
            <CodeField />
          </ApiForm>
        </Choice>
      )}
      {is_on && !is_required && (
        <Choice title="Turn off">
          <ApiForm
            label="Turn off two-step sign-in"
            path={`${ACCOUNT_CALL}second-factor/off/`}
            read={readMessage}
            button="Turn off"
            onDone={(message) => {
              setTold({ message, codes: [] })
              onChange()
            }}
          >
            <OwnPassword />
            <CodeField />
          </ApiForm>
        </Choice>
      )}
    </section>
  )
}

const OwnPassword = () => (
  <Field name="password" label="Your password" type="password" autoComplete="current-password" />
)

/** A rarely used action in a disclosure. */
function Choice({
  title,
  isOpen = false,
  children,
}: {
  readonly title: string
  readonly isOpen?: boolean
  readonly children: ReactNode
}) {
  return (
    <details className="choices" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  )
}

function Confirming({
  secret: { address, secret },
  onDone,
  onCancel,
}: {
  readonly secret: SecondFactorAnswer
  readonly onDone: (answer: { message: string; recovery_codes: string[] }) => void
  readonly onCancel: () => void
}) {
  const box = useRef<HTMLDivElement>(null)
  // The form that was submitted is gone, and the focus with it.
  useEffect(() => box.current?.focus(), [])
  return (
    <div className="scan" ref={box} tabIndex={-1}>
      <p>Scan this with an authenticator app on your phone:</p>
      <QrCode text={address} label="The secret for your authenticator app, as a QR code" />
      <p className="mute">
        Without a camera, enter this secret in the app: <b className="code">{secret}</b>
      </p>
      <ApiForm
        label="Confirm two-step sign-in"
        path={`${ACCOUNT_CALL}second-factor/confirm/`}
        read={readRecoveryCodes}
        button="Turn on"
        onDone={onDone}
      >
        <Field
          name="code"
          label="Code from the app"
          hint="Six digits."
          inputMode="numeric"
          autoComplete="one-time-code"
        />
      </ApiForm>
      <button type="button" className="btn quiet sm" onClick={onCancel}>
        Cancel
      </button>
    </div>
  )
}

function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [codes])
  return (
    <div className="recovery" ref={box} tabIndex={-1}>
      <p>
        <b>Write down or print these recovery codes.</b> Each works once if you lose your phone.
        They are shown only now.
      </p>
      <ul className="code">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </div>
  )
}

function Password({ account, onChange }: Part) {
  const [told, setTold] = useState<string | null>(null)
  return (
    <section className="pan" aria-labelledby="own-password">
      <h2 id="own-password">Password</h2>
      <p role="status" className="settled">
        {told}
      </p>
      <ApiForm
        label="Change your password"
        path={`${ACCOUNT_CALL}password/`}
        read={readMessage}
        button="Set new password"
        onDone={(message) => {
          setTold(message)
          onChange()
        }}
      >
        <OwnPassword />
        <Field
          name="new_password"
          label="New password"
          type="password"
          hint="At least 8 characters. Several words are best. You are signed out everywhere else."
          autoComplete="new-password"
        />
        {account.second_factor.is_on && <CodeField />}
      </ApiForm>
    </section>
  )
}

function Sessions({ account: { sessions }, onChange }: Part) {
  const ending = useMutation({
    mutationFn: (id: string) =>
      callApi(`${ACCOUNT_CALL}sessions/end/`, readMessage, { method: 'POST', json: { id } }),
    onSettled: onChange,
  })
  const refused = useSignInOn401(ending.error)
  return (
    <section className="pan" aria-labelledby="sessions">
      <h2 id="sessions">Active sessions</h2>
      {refused && <Banner text={refused.message} onDismiss={() => ending.reset()} />}
      <p role="status" className="settled">
        {ending.data ?? ''}
      </p>
      <ul className="log">
        {sessions.map((session) => (
          <li key={session.id}>
            <span>
              {session.browser || 'Unknown browser'}
              <small>
                {[
                  session.network === '' ? '' : `from ${session.network}`,
                  `signed in ${formatDateTime(session.signed_in_at)}`,
                  `last seen ${formatDateTime(session.seen_at)}`,
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </small>
            </span>
            <span className="r">
              {session.is_this ? (
                <Badge tone="good" icon="tick">
                  This browser
                </Badge>
              ) : (
                <button
                  type="button"
                  className="btn line sm"
                  disabled={ending.isPending}
                  onClick={() => ending.mutate(session.id)}
                >
                  Sign out<span className="vh"> {session.browser}</span>
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <button
          type="button"
          className="btn line sm"
          disabled={ending.isPending}
          onClick={() => ending.mutate('')}
        >
          Sign out everywhere else
        </button>
      )}
    </section>
  )
}
