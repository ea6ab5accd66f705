/** The user's own account: details, second factor, password and sessions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { ROLE_LABELS } from '../../../engine/index.ts'
import type { AccountResponse, SecondFactorResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { readMessage } from '../office-api-responses.ts'
import { ApiForm, CodeField, Field } from '../ui/form-fields.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readAccount, readRecoveryCodes, readSecondFactorSecret } from './users-api-responses.ts'
import { formatDateTime } from '../ui/format-date-time.ts'
import '../registration/registration-details-page.css'
import './team-page.css'

export const ACCOUNT_API_PATH = '/api/admin/me/'

export function AccountPage({
  mustSetUpSecondFactor,
}: {
  readonly mustSetUpSecondFactor: boolean
}) {
  const queryClient = useQueryClient()
  const query = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => callApi(ACCOUNT_API_PATH, readAccount, { signal }),
  })
  const error = useSignInOn401(query.error)
  const reload = () => {
    void query.refetch()
    // Setting up a second factor changes the permissions of the session.
    void queryClient.invalidateQueries({ queryKey: ['session'] })
  }
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Your account">
        {query.data && <p className="mute">{describeAccount(query.data)}</p>}
      </PageHeading>
      {mustSetUpSecondFactor && (
        <p className="care">
          <Icon name="lock" />
          Your role requires two-step sign-in. Set it up here to open the rest of the office.
        </p>
      )}
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: reload }} />}
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading your account</span>
        </p>
      )}
      {query.data && (
        <div className="account">
          <SecondFactorSection account={query.data} onChange={reload} />
          <PasswordSection account={query.data} onChange={reload} />
          <SessionsSection account={query.data} onChange={reload} />
        </div>
      )}
    </main>
  )
}

const describeAccount = ({ username, role, events }: AccountResponse): string =>
  `${username} · ${ROLE_LABELS[role]} (${events === null ? 'all events' : events.join(', ')})`

type SectionProps = { readonly account: AccountResponse; readonly onChange: () => void }

function SecondFactorSection({ account, onChange }: SectionProps) {
  const { is_on, is_required, recovery_codes_left: codesLeft } = account.second_factor
  const [pendingSecret, setPendingSecret] = useState<SecondFactorResponse | null>(null)
  const [result, setResult] = useState<{ message: string; codes: readonly string[] } | null>(null)
  const showResult = (response: { message: string; recovery_codes: readonly string[] }) => {
    setPendingSecret(null)
    setResult({ message: response.message, codes: response.recovery_codes })
    onChange()
  }
  return (
    <section className="panel" aria-labelledby="factor">
      <div className="panel-header">
        <h2 id="factor">Two-step sign-in</h2>
        <Badge tone={is_on ? 'good' : 'care'} icon={is_on ? 'tick' : 'lock'}>
          {is_on ? 'On' : 'Off'}
        </Badge>
      </div>
      <p className="mute">
        {is_on
          ? `When you sign in, you enter your password, then a code from your phone. ${codesLeft === 1 ? 'One recovery code is' : `${codesLeft} recovery codes are`} left.`
          : 'When you sign in, you enter your password, then a code from an app on your phone. Someone who knows only your password cannot sign in.'}
      </p>
      <div role="status">
        {result && <p className="form-status">{result.message}</p>}
        {result && result.codes.length > 0 && <RecoveryCodes codes={result.codes} />}
      </div>
      {pendingSecret ? (
        <ConfirmSecondFactor
          secret={pendingSecret}
          onDone={showResult}
          onCancel={() => setPendingSecret(null)}
        />
      ) : (
        <Disclosure title={is_on ? 'Set up another phone' : 'Set up'} isOpen={!is_on}>
          <ApiForm
            label="Set up two-step sign-in"
            path={`${ACCOUNT_API_PATH}second-factor/`}
            read={readSecondFactorSecret}
            button="Show QR code"
            onDone={(secret) => {
              setResult(null)
              setPendingSecret(secret)
            }}
          >
            <PasswordField />
            {is_on && <CodeField />}
          </ApiForm>
        </Disclosure>
      )}
      {is_on && (
        <Disclosure title="Create new recovery codes">
          <ApiForm
            label="Create new recovery codes"
            path={`${ACCOUNT_API_PATH}recovery-codes/`}
            read={readRecoveryCodes}
            button="Create codes"
            onDone={showResult}
          >
            <PasswordField />
            <CodeField />
          </ApiForm>
        </Disclosure>
      )}
      {is_on && !is_required && (
        <Disclosure title="Turn off">
          <ApiForm
            label="Turn off two-step sign-in"
            path={`${ACCOUNT_API_PATH}second-factor/off/`}
            read={readMessage}
            button="Turn off"
            onDone={(message) => {
              setResult({ message, codes: [] })
              onChange()
            }}
          >
            <PasswordField />
            <CodeField />
          </ApiForm>
        </Disclosure>
      )}
    </section>
  )
}

const PasswordField = () => (
  <Field name="password" label="Current password" type="password" autoComplete="current-password" />
)

/** Shows a rarely used action in a collapsed section. */
function Disclosure({
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

function ConfirmSecondFactor({
  secret: { address: uri, secret },
  onDone,
  onCancel,
}: {
  readonly secret: SecondFactorResponse
  readonly onDone: (response: { message: string; recovery_codes: string[] }) => void
  readonly onCancel: () => void
}) {
  const container = useRef<HTMLDivElement>(null)
  // Takes focus, which was lost when the submitted form disappeared.
  useEffect(() => container.current?.focus(), [])
  return (
    <div className="authenticator-setup" ref={container} tabIndex={-1}>
      <p>Scan this with an authenticator app on your phone:</p>
      <QrCode text={uri} label="The secret for your authenticator app, as a QR code" />
      <p className="mute">
        If you cannot scan it, enter this setup key in the app: <b className="code">{secret}</b>
      </p>
      <ApiForm
        label="Confirm two-step sign-in"
        path={`${ACCOUNT_API_PATH}second-factor/confirm/`}
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
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => container.current?.focus(), [codes])
  return (
    <div className="recovery" ref={container} tabIndex={-1}>
      <p>
        <b>Write down or print these recovery codes.</b> If you lose your phone, you can sign in
        with them. Each code works once. You will not be able to see them again.
      </p>
      <ul className="code">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </div>
  )
}

function PasswordSection({ account, onChange }: SectionProps) {
  const [message, setMessage] = useState<string | null>(null)
  return (
    <section className="panel" aria-labelledby="own-password">
      <h2 id="own-password">Password</h2>
      <p role="status" className="form-status">
        {message}
      </p>
      <ApiForm
        label="Change your password"
        path={`${ACCOUNT_API_PATH}password/`}
        read={readMessage}
        button="Set new password"
        onDone={(message) => {
          setMessage(message)
          onChange()
        }}
      >
        <PasswordField />
        <Field
          name="new_password"
          label="New password"
          type="password"
          hint="At least 8 characters. Several words are best. You will be signed out everywhere else."
          autoComplete="new-password"
        />
        {account.second_factor.is_on && <CodeField />}
      </ApiForm>
    </section>
  )
}

function SessionsSection({ account: { sessions }, onChange }: SectionProps) {
  const endSessionMutation = useMutation({
    mutationFn: (id: string) =>
      callApi(`${ACCOUNT_API_PATH}sessions/end/`, readMessage, { method: 'POST', json: { id } }),
    onSettled: onChange,
  })
  const endError = useSignInOn401(endSessionMutation.error)
  return (
    <section className="panel" aria-labelledby="sessions">
      <h2 id="sessions">Active sessions</h2>
      {endError && <Banner text={endError.message} onDismiss={() => endSessionMutation.reset()} />}
      <p role="status" className="form-status">
        {endSessionMutation.data ?? ''}
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
                  disabled={endSessionMutation.isPending}
                  onClick={() => endSessionMutation.mutate(session.id)}
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
          disabled={endSessionMutation.isPending}
          onClick={() => endSessionMutation.mutate('')}
        >
          Sign out everywhere else
        </button>
      )}
    </section>
  )
}
