/** The variable in which `turn-limit resume` hands Pi's extension the run that goes on. */
export const PI_RESUMED = "PI_TURN_LIMIT_RESUMED";
