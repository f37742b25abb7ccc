// The little of ONNX Runtime's C API that the wrapper does not reach, called through the function table of the loaded
// library. The table is stable: functions are only ever added at its end, so a slot number holds for every later version.
#ifndef OATTA_ORT_API_H
#define OATTA_ORT_API_H

#include <stddef.h>
#include <stdint.h>

enum { OATTA_MAX_RANK = 32 };

// A tensor of the caller: rank sizes at dims[first_dim] of the array that is passed beside it. A destination without
// data (want_alloc) is allocated by ONNX Runtime.
typedef struct {
  void *data;
  size_t bytes;
  size_t rank;
  size_t first_dim;
  int32_t type;
  int32_t want_alloc;
} oatta_tensor;

// What a port or a value is. kind is ONNXType (1: tensor), type ONNXTensorElementDataType.
typedef struct {
  int32_t kind;
  int32_t type;
  int32_t has_shape;
  size_t rank;
  int64_t dims[OATTA_MAX_RANK];
  void *data;
} oatta_info;

// All functions that return char * return NULL, or a message to be freed.

const char *oatta_version(void *get_api_base);
const void *oatta_api(void *get_api_base, uint32_t version);
char *oatta_providers(const void *api, char ***names, int *count);
char *oatta_free_providers(const void *api, char **names, int count);
char *oatta_port_count(const void *api, void *session, int output, size_t *count);
char *oatta_port(const void *api, void *session, int output, size_t index, char **name, oatta_info *info);
char *oatta_run_options(const void *api, void **options);
char *oatta_terminate(const void *api, void *options);
void oatta_release_run_options(const void *api, void *options);
char *oatta_run(const void *api, void *session, void *memory, void *options, char **names, oatta_tensor *tensors,
                size_t inputs, size_t outputs, int64_t *dims, void **values);
char *oatta_value(const void *api, void *value, oatta_info *info);
void oatta_release_value(const void *api, void *value);

#endif
