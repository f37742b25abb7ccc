//go:build cgo

#include "api.h"

#include <stdlib.h>
#include <string.h>

// Slots of OrtApi, in the order of onnxruntime_c_api.h; TestSlots compares them with the header of the wrapper.
enum {
  SLOT_GetErrorMessage = 2,
  SLOT_Run = 9,
  SLOT_SessionGetInputCount = 30,
  SLOT_SessionGetOutputCount = 31,
  SLOT_SessionGetInputTypeInfo = 33,
  SLOT_SessionGetOutputTypeInfo = 34,
  SLOT_SessionGetInputName = 36,
  SLOT_SessionGetOutputName = 37,
  SLOT_CreateRunOptions = 39,
  SLOT_RunOptionsSetTerminate = 46,
  SLOT_CreateTensorWithDataAsOrtValue = 49,
  SLOT_GetTensorMutableData = 51,
  SLOT_CastTypeInfoToTensorInfo = 55,
  SLOT_GetOnnxTypeFromTypeInfo = 56,
  SLOT_GetTensorElementType = 60,
  SLOT_GetDimensionsCount = 61,
  SLOT_GetDimensions = 62,
  SLOT_GetTensorTypeAndShape = 65,
  SLOT_GetValueType = 67,
  SLOT_AllocatorFree = 76,
  SLOT_GetAllocatorWithDefaultOptions = 78,
  SLOT_ReleaseStatus = 93,
  SLOT_ReleaseValue = 96,
  SLOT_ReleaseRunOptions = 97,
  SLOT_ReleaseTypeInfo = 98,
  SLOT_ReleaseTensorTypeAndShapeInfo = 99,
  SLOT_GetAvailableProviders = 125,
  SLOT_ReleaseAvailableProviders = 126,
  SLOT_TensorTypeAndShape_HasShape = 390,
};

// CALL(slot, result, parameter types) is the function in that slot; most return a status, NULL when all is well.
#define CALL(slot, result, ...) ((result(*)(__VA_ARGS__))((void *const *)api)[SLOT_##slot])
#define STATUS(slot, ...) CALL(slot, void *, __VA_ARGS__)
#define TRY(status)                               \
  do {                                            \
    void *status_ = (status);                     \
    if (status_) return message(api, status_);    \
  } while (0)

typedef struct {
  const void *(*get_api)(uint32_t version);
  const char *(*get_version_string)(void);
} api_base;

static char *copy_text(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = malloc(n);
  if (copy) memcpy(copy, text, n);
  return copy;
}

// message takes the text out of a status and releases it. An empty text still yields a message: NULL means success.
static char *message(const void *api, void *status) {
  const char *text = CALL(GetErrorMessage, const char *, const void *)(status);
  char *copy = copy_text(text && *text ? text : "unknown error");
  CALL(ReleaseStatus, void, void *)(status);
  return copy;
}

static api_base *base(void *get_api_base) { return ((api_base * (*)(void)) get_api_base)(); }

const char *oatta_version(void *get_api_base) { return base(get_api_base)->get_version_string(); }

const void *oatta_api(void *get_api_base, uint32_t version) { return base(get_api_base)->get_api(version); }

char *oatta_providers(const void *api, char ***names, int *count) {
  TRY(STATUS(GetAvailableProviders, char ***, int *)(names, count));
  return NULL;
}

char *oatta_free_providers(const void *api, char **names, int count) {
  TRY(STATUS(ReleaseAvailableProviders, char **, int)(names, count));
  return NULL;
}

char *oatta_port_count(const void *api, void *session, int output, size_t *count) {
  if (output)
    TRY(STATUS(SessionGetOutputCount, const void *, size_t *)(session, count));
  else
    TRY(STATUS(SessionGetInputCount, const void *, size_t *)(session, count));
  return NULL;
}

// read_shape fills type and sizes from an OrtTensorTypeAndShapeInfo.
static char *read_shape(const void *api, const void *shape, oatta_info *info) {
  TRY(STATUS(GetTensorElementType, const void *, int32_t *)(shape, &info->type));
  TRY(STATUS(GetDimensionsCount, const void *, size_t *)(shape, &info->rank));
  info->has_shape = CALL(TensorTypeAndShape_HasShape, _Bool, const void *)(shape);
  if (info->rank > OATTA_MAX_RANK) return copy_text("a tensor of more than 32 dimensions");
  TRY(STATUS(GetDimensions, const void *, int64_t *, size_t)(shape, info->dims, info->rank));
  return NULL;
}

static char *read_type(const void *api, const void *type, oatta_info *info) {
  TRY(STATUS(GetOnnxTypeFromTypeInfo, const void *, int32_t *)(type, &info->kind));
  const void *shape = NULL;  // owned by the type
  TRY(STATUS(CastTypeInfoToTensorInfo, const void *, const void **)(type, &shape));
  return shape ? read_shape(api, shape, info) : NULL;
}

// port_name copies a name out of the library's allocator, so that Go can free it like any C string.
static char *port_name(const void *api, void *session, int output, size_t index, char **name) {
  void *allocator = NULL;
  char *theirs = NULL;
  TRY(STATUS(GetAllocatorWithDefaultOptions, void **)(&allocator));
  if (output)
    TRY(STATUS(SessionGetOutputName, const void *, size_t, void *, char **)(session, index, allocator, &theirs));
  else
    TRY(STATUS(SessionGetInputName, const void *, size_t, void *, char **)(session, index, allocator, &theirs));
  *name = copy_text(theirs);
  TRY(STATUS(AllocatorFree, void *, void *)(allocator, theirs));
  return NULL;
}

char *oatta_port(const void *api, void *session, int output, size_t index, char **name, oatta_info *info) {
  char *failure = port_name(api, session, output, index, name);
  if (failure) return failure;
  void *type = NULL;
  if (output)
    TRY(STATUS(SessionGetOutputTypeInfo, const void *, size_t, void **)(session, index, &type));
  else
    TRY(STATUS(SessionGetInputTypeInfo, const void *, size_t, void **)(session, index, &type));
  failure = read_type(api, type, info);
  CALL(ReleaseTypeInfo, void, void *)(type);
  return failure;
}

char *oatta_run_options(const void *api, void **options) {
  TRY(STATUS(CreateRunOptions, void **)(options));
  return NULL;
}

char *oatta_terminate(const void *api, void *options) {
  TRY(STATUS(RunOptionsSetTerminate, void *)(options));
  return NULL;
}

void oatta_release_run_options(const void *api, void *options) { CALL(ReleaseRunOptions, void, void *)(options); }

void oatta_release_value(const void *api, void *value) {
  if (value) CALL(ReleaseValue, void, void *)(value);
}

// wrap makes values over the caller's memory, without copying; sizes are copied by the library.
static char *wrap(const void *api, void *memory, oatta_tensor *tensors, size_t count, int64_t *dims, void **values) {
  for (size_t i = 0; i < count; i++) {
    oatta_tensor *t = &tensors[i];
    if (t->want_alloc) continue;
    TRY(STATUS(CreateTensorWithDataAsOrtValue, const void *, void *, size_t, const int64_t *, size_t, int32_t, void **)(
        memory, t->data, t->bytes, dims + t->first_dim, t->rank, t->type, &values[i]));
  }
  return NULL;
}

static char *run(const void *api, void *session, void *options, char **names, size_t inputs, size_t outputs, void **values) {
  TRY(STATUS(Run, void *, const void *, char **, void **, size_t, char **, size_t, void **)(
      session, options, names, values, inputs, names + inputs, outputs, values + inputs));
  return NULL;
}

// oatta_run runs the session. names, tensors and values hold the inputs and then the outputs. All values that it makes are
// released again, but for outputs that the library allocated in a run that succeeded: those are left in values.
char *oatta_run(const void *api, void *session, void *memory, void *options, char **names, oatta_tensor *tensors,
                size_t inputs, size_t outputs, int64_t *dims, void **values) {
  memset(values, 0, (inputs + outputs) * sizeof *values);
  char *failure = wrap(api, memory, tensors, inputs + outputs, dims, values);
  if (!failure) failure = run(api, session, options, names, inputs, outputs, values);
  for (size_t i = 0; i < inputs + outputs; i++) {
    if (tensors[i].want_alloc && !failure) continue;
    oatta_release_value(api, values[i]);
    values[i] = NULL;
  }
  return failure;
}

// oatta_value describes an allocated output and points at its elements, which live as long as the value.
char *oatta_value(const void *api, void *value, oatta_info *info) {
  TRY(STATUS(GetValueType, const void *, int32_t *)(value, &info->kind));
  if (info->kind != 1) return copy_text("the output is no tensor");
  void *shape = NULL;
  TRY(STATUS(GetTensorTypeAndShape, const void *, void **)(value, &shape));
  char *failure = read_shape(api, shape, info);
  CALL(ReleaseTensorTypeAndShapeInfo, void, void *)(shape);
  if (failure) return failure;
  TRY(STATUS(GetTensorMutableData, void *, void **)(value, &info->data));
  return NULL;
}
