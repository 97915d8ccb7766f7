export const success = { success: true };
