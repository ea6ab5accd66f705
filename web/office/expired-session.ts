/** The handling of an expired session: any call that reports it opens the sign-in page. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { ApiError } from '../app/api-client.ts'
import { LOGIN, isApiError } from './office-api-and-urls.ts'

/** Opens the sign-in page, clears all loaded data, and returns here after sign-in. */
export function useLeave(): () => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { pathname, search } = useLocation()
  return useCallback(() => {
    client.clear()
    void navigate(`${LOGIN}?next=${encodeURIComponent(pathname + search)}`, { replace: true })
  }, [client, navigate, pathname, search])
}

/**
 * Handles the error of a query or mutation: opens the sign-in page if the session has expired,
 * otherwise returns the error. An error that is not an ApiError is a bug and is rethrown.
 */
export function useLeaveOn401(error: unknown): ApiError | null {
  const leave = useLeave()
  const isOver = isApiError(error) && error.status === 401
  useEffect(() => {
    if (isOver) leave()
  }, [isOver, leave])
  if (error !== null && !isApiError(error)) throw error
  return isOver ? null : error
}
