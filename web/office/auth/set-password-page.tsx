/** The page for setting a password through an invitation link, whose secret is in the URL fragment. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { StandaloneHeader } from '../../ui/layout/standalone-page.tsx'
import { readMessage } from '../office-api-responses.ts'
import { ApiForm, Field } from '../ui/form-fields.tsx'
import { callApi, isApiError, SIGN_IN } from '../office-api-and-urls.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { readPasswordLink } from '../users/users-api-responses.ts'
import './sign-in-page.css'

const API_PATH = '/api/admin/set-password/'

export function SetPasswordPage() {
  const token = useLocation().hash.slice(1)
  const [message, setMessage] = useState<string | null>(null)
  const query = useQuery({
    queryKey: ['password', token],
    queryFn: ({ signal }) =>
      callApi(API_PATH, readPasswordLink, { method: 'POST', json: { token }, signal }),
    staleTime: Infinity,
  })
  const { error } = query
  if (error !== null && !isApiError(error)) throw error
  useEffect(() => {
    document.title = 'Set your password · Rollcall office'
  }, [])
  const status = useRef<HTMLDivElement>(null)
  // Moves the focus, because the focused button has disappeared.
  useEffect(() => {
    if (message !== null) status.current?.focus()
  }, [message])
  return (
    <div className="login">
      <StandaloneHeader />
      <main id="main">
        <div className="sheet" aria-busy={query.isFetching}>
          <h1 className="disp">Set your password</h1>
          {error && <Banner text={error.message} />}
          <div role="status" ref={status} tabIndex={-1}>
            {message !== null && <p className="form-status">{message}</p>}
          </div>
          {message !== null && (
            <Link className="btn" to={SIGN_IN}>
              Sign In
            </Link>
          )}
          {query.data && message === null && (
            <>
              <p>
                You will sign in as <b>{query.data.username}</b>.
              </p>
              <ApiForm
                label="Set your password"
                path={API_PATH}
                read={readMessage}
                button="Set password"
                extraValues={() => ({ token })}
                onDone={setMessage}
              >
                <Field
                  name="password"
                  label="Password"
                  type="password"
                  autoComplete="new-password"
                  hint="At least 8 characters. Several words are best."
                />
              </ApiForm>
            </>
          )}
        </div>
      </main>
    </div>
  )
}
