/** The sign-in page of the office. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Navigate, useNavigate } from 'react-router-dom'
import { err } from '../../../engine/index.ts'
import type { SessionResponse } from '../../../engine/api.ts'
import { call } from '../../app/api-client.ts'
import type { ApiError } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { StandaloneHeader } from '../../ui/layout/standalone-page.tsx'
import { readSuccess, readSession } from '../office-api-responses.ts'
import { DASHBOARD, callApi, isApiError, unwrap } from '../office-api-and-urls.ts'
import '../ui/form-fields.css'
import './sign-in-page.css'

type Errors = { readonly username?: string; readonly password?: string; readonly code?: string }

/**
 * Shown if the browser rejected the session cookie. Otherwise every further page would require
 * sign-in again.
 */
const COOKIES_BLOCKED_MESSAGE =
  'Your browser blocks cookies, so you cannot stay signed in. Allow cookies for this site, then sign in again.'

/** Returns whether the password was correct, but the second factor is missing or wrong. */
const needsCode = ({ code }: ApiError): boolean => code === 'code_needed' || code === 'wrong_code'

/** Signs in and returns to the previous page. The session is a cookie that scripts cannot read. */
export function SignInPage({ next }: { readonly next: string }) {
  const [errors, setErrors] = useState<Errors>({})
  const username = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  const [showsCodeField, setShowsCodeField] = useState(false)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  // A user who is already signed in does not need this page.
  const currentSession = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => callApi('/admin/session/', readSession, { signal }),
    staleTime: Infinity,
  })
  useEffect(() => username.current?.focus(), [])

  const signInMutation = useMutation({
    mutationFn: async (credentials: {
      readonly username: string
      readonly password: string
      readonly code?: string
    }) => {
      await callApi('/admin/login/', readSuccess, { method: 'POST', json: credentials })
      const session = await call('/admin/session/', readSession)
      return !session.ok && session.error.status === 401
        ? unwrap<SessionResponse>(err({ ...session.error, message: COOKIES_BLOCKED_MESSAGE }))
        : session.ok
          ? session.value
          : null
    },
    onError: (signInError) => {
      if (isApiError(signInError) && needsCode(signInError)) setShowsCodeField(true)
      else password.current?.select()
    },
    onSuccess: (session) => {
      queryClient.clear()
      if (session !== null) queryClient.setQueryData(['session'], session)
      void navigate(next, { replace: true })
    },
  })
  const { error, isPending: isBusy } = signInMutation
  if (error !== null && !isApiError(error)) throw error

  useEffect(() => {
    if (showsCodeField) code.current?.select()
  }, [showsCodeField, error])

  const isRejected = error !== null && error.code !== 'code_needed'
  const hasErrors = isRejected || Object.values(errors).some((text) => text !== undefined)
  useEffect(() => {
    document.title = `${hasErrors ? 'Error: ' : ''}Sign in · Rollcall office`
  }, [hasErrors])

  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault()
    const credentials = {
      username: username.current?.value.trim() ?? '',
      password: password.current?.value ?? '',
      ...(showsCodeField && { code: code.current?.value.trim() ?? '' }),
    }
    const missingFields: Errors = {
      ...(credentials.username === '' && { username: 'Required' }),
      ...(credentials.password === '' && { password: 'Required' }),
      ...(credentials.code === '' && { code: 'Required' }),
    }
    setErrors(missingFields)
    signInMutation.reset()
    if (missingFields.username || missingFields.password || missingFields.code) {
      ;(missingFields.username
        ? username
        : missingFields.password
          ? password
          : code
      ).current?.focus()
      return
    }
    signInMutation.mutate(credentials)
  }

  const renderField = (
    name: 'username' | 'password' | 'code',
    label: string,
    ref: typeof username,
    autoComplete: string,
  ) => (
    <div className={errors[name] ? 'labelled-field wrong' : 'labelled-field'}>
      <label htmlFor={`login-${name}`}>{label}</label>
      {errors[name] && (
        <p className="field-error" id={`login-${name}-error`}>
          <Icon name="bang" small />
          {errors[name]}
        </p>
      )}
      <input
        id={`login-${name}`}
        ref={ref}
        name={name}
        type={name === 'password' ? 'password' : 'text'}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        aria-required="true"
        aria-invalid={errors[name] !== undefined}
        {...(errors[name] && { 'aria-describedby': `login-${name}-error` })}
        onChange={() => setErrors((previous) => ({ ...previous, [name]: undefined }) as Errors)}
      />
    </div>
  )

  if (currentSession.data) return <Navigate to={next} replace />
  return (
    <div className="login">
      <StandaloneHeader />
      <main id="main">
        <form className="sheet" noValidate onSubmit={submit} aria-busy={isBusy}>
          <h1 className="disp">Staff sign-in</h1>
          {next !== DASHBOARD && (
            <p className="mute small">After signing in, you will return to the page you were on.</p>
          )}
          <div role="alert">
            {isRejected && (
              <p className="form-error">
                <Icon name="bang" />
                {error.message}
              </p>
            )}
          </div>
          {renderField('username', 'Username', username, 'username')}
          {renderField('password', 'Password', password, 'current-password')}
          {showsCodeField && (
            <div>
              {renderField('code', 'Code from your authenticator app', code, 'one-time-code')}
              <p className="mute small">
                If you do not have your phone, enter one of your recovery codes.
              </p>
            </div>
          )}
          <button type="submit" className="btn" disabled={isBusy}>
            {isBusy && <span className="spin" aria-hidden="true" />}
            {isBusy ? 'Signing in…' : 'Sign In'}
          </button>
        </form>
        <p className="small mute">
          Here to register for a conference? <a href="/">See the events</a>
        </p>
      </main>
    </div>
  )
}
