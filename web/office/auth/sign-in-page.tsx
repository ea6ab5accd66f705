/** The sign-in page of the office. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { useNavigate } from 'react-router-dom'
import { err } from '../../../engine/index.ts'
import type { SessionAnswer } from '../../../engine/api.ts'
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
 * Shown if the browser discarded the session cookie, because every further page would ask to sign
 * in again.
 */
const NO_COOKIES =
  'Your browser blocks cookies, so it cannot stay signed in. Allow cookies for this site, then sign in again.'

/** The password was correct; the second factor is missing or wrong. */
const asksCode = ({ code }: ApiError): boolean => code === 'code_needed' || code === 'wrong_code'

/** Signs in and returns to the previous page. The session is a cookie that scripts cannot read. */
export function Login({ next }: { readonly next: string }) {
  const [errors, setErrors] = useState<Errors>({})
  const username = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  const [hasFactor, setHasFactor] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => username.current?.focus(), [])

  const signingIn = useMutation({
    mutationFn: async (sent: {
      readonly username: string
      readonly password: string
      readonly code?: string
    }) => {
      await callApi('/admin/login/', readSuccess, { method: 'POST', json: sent })
      const session = await call('/admin/session/', readSession)
      return !session.ok && session.error.status === 401
        ? unwrap<SessionAnswer>(err({ ...session.error, message: NO_COOKIES }))
        : session.ok
          ? session.value
          : null
    },
    onError: (failed) => {
      if (isApiError(failed) && asksCode(failed)) setHasFactor(true)
      else password.current?.select()
    },
    onSuccess: (session) => {
      client.clear()
      if (session !== null) client.setQueryData(['session'], session)
      void navigate(next, { replace: true })
    },
  })
  const { error, isPending: busy } = signingIn
  if (error !== null && !isApiError(error)) throw error

  useEffect(() => {
    if (hasFactor) code.current?.select()
  }, [hasFactor, error])

  const isRefused = error !== null && error.code !== 'code_needed'
  const isWrong = isRefused || Object.values(errors).some((text) => text !== undefined)
  useEffect(() => {
    document.title = `${isWrong ? 'Error: ' : ''}Sign in · Rollcall office`
  }, [isWrong])

  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault()
    const sent = {
      username: username.current?.value.trim() ?? '',
      password: password.current?.value ?? '',
      ...(hasFactor && { code: code.current?.value.trim() ?? '' }),
    }
    const missing: Errors = {
      ...(sent.username === '' && { username: 'Required' }),
      ...(sent.password === '' && { password: 'Required' }),
      ...(sent.code === '' && { code: 'Required' }),
    }
    setErrors(missing)
    signingIn.reset()
    if (missing.username || missing.password || missing.code) {
      ;(missing.username ? username : missing.password ? password : code).current?.focus()
      return
    }
    signingIn.mutate(sent)
  }

  const field = (
    name: 'username' | 'password' | 'code',
    label: string,
    ref: typeof username,
    autoComplete: string,
  ) => (
    <div className={errors[name] ? 'lf wrong' : 'lf'}>
      <label htmlFor={`login-${name}`}>{label}</label>
      {errors[name] && (
        <p className="ferr" id={`login-${name}-error`}>
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
        onChange={() => setErrors((old) => ({ ...old, [name]: undefined }) as Errors)}
      />
    </div>
  )

  return (
    <div className="login">
      <StandaloneHeader />
      <main id="main">
        <form className="sheet" noValidate onSubmit={submit} aria-busy={busy}>
          <h1 className="disp">Sign in to the office</h1>
          {next !== DASHBOARD && (
            <p className="mute small">After signing in you are taken back to where you were.</p>
          )}
          <div role="alert">
            {isRefused && (
              <p className="refused">
                <Icon name="bang" />
                {error.message}
              </p>
            )}
          </div>
          {field('username', 'Username', username, 'username')}
          {field('password', 'Password', password, 'current-password')}
          {hasFactor && (
            <div>
              {field('code', 'Code from your authenticator app', code, 'one-time-code')}
              <p className="mute small">Without your phone, enter one of your recovery codes.</p>
            </div>
          )}
          <button type="submit" className="btn" disabled={busy}>
            {busy && <span className="spin" aria-hidden="true" />}
            {busy ? 'Signing in…' : 'Sign In'}
          </button>
        </form>
        <p className="small mute">
          Here to register for a conference? <a href="/">See the events</a>
        </p>
      </main>
    </div>
  )
}
