/** Handles an expired session: an API call that returns 401 opens the sign-in page. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { ApiError } from '../app/api-client.ts'
import { SIGN_IN, isApiError } from './office-api-and-urls.ts'

/**
 * Returns a function that clears all loaded data and opens the sign-in page. Sign-in returns to the
 * current page.
 */
export function useOpenSignIn(): () => void {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { pathname, search } = useLocation()
  return useCallback(() => {
    queryClient.clear()
    void navigate(`${SIGN_IN}?next=${encodeURIComponent(pathname + search)}`, { replace: true })
  }, [queryClient, navigate, pathname, search])
}

/**
 * Handles the error of a query or mutation: opens the sign-in page if the session has expired,
 * otherwise returns the error. An error that is not an ApiError is a bug and is rethrown.
 */
export function useSignInOn401(error: unknown): ApiError | null {
  const openSignIn = useOpenSignIn()
  const isExpired = isApiError(error) && error.status === 401
  useEffect(() => {
    if (isExpired) openSignIn()
  }, [isExpired, openSignIn])
  if (error !== null && !isApiError(error)) throw error
  return isExpired ? null : error
}
